import { useWrite } from "../../../data/use-query.ts";
import { Button } from "../../../ui/button.tsx";
import { Diff } from "../../../ui/data/diff.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ErrorText, Skeleton } from "../../../ui/states.tsx";
import { Text } from "../../../ui/text.tsx";
import { useToast } from "../../../ui/toast.tsx";
import { inWords } from "../words.ts";
import { usePreview } from "./use-preview.ts";

/** Undoes the newest change still in effect. Shows the change first, because it may be somebody else's. */
export function UndoDialog({ onClose }: { readonly onClose: () => void }) {
  const preview = usePreview("POST /api/contract/undo", { query: { dryRun: "true" }, body: {} });
  const undo = useWrite("POST /api/contract/undo");
  const tell = useToast();
  const events = preview.value?.events ?? [];
  const error = undo.error ?? preview.error;
  const warnings = preview.value?.warnings ?? [];
  async function run() {
    const outcome = await undo.run({ body: {} });
    if (!outcome.ok) return;
    const [event] = outcome.value.events;
    tell(
      event === undefined ? "Change undone" : `Contract v${outcome.value.contract.version}: ${inWords(event).what}`,
      { tone: "passed" },
    );
    onClose();
  }
  return (
    <Dialog title="Undo the last change?" open onClose={onClose}>
      {error !== undefined ? (
        <ErrorText error={error} />
      ) : preview.value === undefined ? (
        <Skeleton lines={2} />
      ) : (
        events.map((event) => {
          const { what, lines } = inWords(event);
          return (
            <div key={event.seq} className="stack">
              <p>This {what.replace(/^undid/, "undoes")}. Changes to the prompt, from the next turn:</p>
              <Diff lines={lines} label="Changes" />
            </div>
          );
        })
      )}
      {warnings.map((one) => (
        <p key={String(one.message)}>
          <Text>{String(one.message)}</Text>
        </p>
      ))}
      <div className="row">
        <Button
          look="main"
          data-first=""
          busy={undo.pending}
          disabled={preview.error !== undefined}
          onClick={() => void run()}
        >
          Undo change
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}

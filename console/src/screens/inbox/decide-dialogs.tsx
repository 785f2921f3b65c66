import { type FormEvent, useState } from "react";
import type { DirectiveType } from "../../../../src/base/words/contract.ts";
import type { GatewayError } from "../../data/client.ts";
import { useQuery, useWrite } from "../../data/use-query.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextArea, TextField } from "../../ui/field.tsx";
import { ErrorText } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { useToast } from "../../ui/toast.tsx";
import { BlockDiff } from "../contract/block.tsx";
import { EndField, KindField, splitLine } from "../contract/edit/fields.tsx";
import { isRefusal, usePreview } from "../contract/edit/use-preview.ts";
import { lineOf, scopeInWords, viewOf } from "../contract/words.ts";
import { type Shown, titleOf } from "./candidates.ts";
import style from "./inbox.module.css";

type DialogProps = {
  readonly candidate: Shown;
  readonly onClose: () => void;
  /** Called after the decision, to open the next candidate. */
  readonly onDone: () => void;
};

/** Rejects a candidate with a reason. The review proposes it again only with more evidence. */
export function RejectDialog({ candidate, onClose, onDone }: DialogProps) {
  const [reason, setReason] = useState("");
  const reject = useWrite("POST /api/candidates/{id}/reject");
  const tell = useToast();
  async function run(event: FormEvent) {
    event.preventDefault();
    const body = reason.trim() === "" ? {} : { reason: reason.trim() };
    const outcome = await reject.run({ params: { id: candidate.id }, body });
    if (!outcome.ok) return;
    tell(`Rejected: ${titleOf(candidate)}`);
    onDone();
  }
  return (
    <Dialog title="Reject this candidate?" open onClose={onClose}>
      <form className="stack" onSubmit={(event) => void run(event)}>
        <p>
          <Text>{titleOf(candidate)}</Text>
        </p>
        <TextField
          label="Reason"
          hint="The review proposes it again only with new evidence."
          data-first=""
          maxLength={500}
          value={reason}
          onChange={({ target: { value } }) => setReason(value)}
        />
        {reject.error !== undefined && <ErrorText error={reject.error} />}
        <div className="row">
          <Button type="submit" look="danger" busy={reject.pending}>
            Reject candidate
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

const DAY = 86_400_000;
const SNOOZES = [
  ["1 day", DAY],
  ["3 days", 3 * DAY],
  ["1 week", 7 * DAY],
] as const;

export function SnoozeDialog({ candidate, onClose, onDone }: DialogProps) {
  const [until, setUntil] = useState(() =>
    new Date(Math.ceil((Date.now() + DAY) / 3_600_000) * 3_600_000).toISOString(),
  );
  const snooze = useWrite("POST /api/candidates/{id}/snooze");
  const tell = useToast();
  async function run(at: string) {
    const outcome = await snooze.run({ params: { id: candidate.id }, body: { until: at } });
    if (!outcome.ok) return;
    tell(`Snoozed: ${titleOf(candidate)}`);
    onDone();
  }
  return (
    <Dialog title="Snooze this candidate" open onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run(until);
        }}
      >
        <p>
          <Text>{titleOf(candidate)}</Text>
        </p>
        <div className="row">
          {SNOOZES.map(([name, ms], at) => (
            <Button
              key={name}
              busy={snooze.pending}
              data-first={at === 0 ? "" : undefined}
              onClick={() => void run(new Date(Date.now() + ms).toISOString())}
            >
              {name}
            </Button>
          ))}
        </div>
        <EndField label="Or until" value={until} onChange={setUntil} />
        {snooze.error !== undefined && <ErrorText error={snooze.error} />}
        <div className="row">
          <Button type="submit" busy={snooze.pending}>
            Snooze until then
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Edits the text of a candidate, and promotes it at once or keeps it open. */
export function EditDialog({
  candidate,
  onClose,
  onPromote,
}: Omit<DialogProps, "onDone"> & {
  readonly onPromote: (as: {
    readonly type: DirectiveType;
    readonly text: string;
  }) => Promise<GatewayError | undefined>;
}) {
  const [type, setType] = useState(candidate.type);
  const [text, setText] = useState(candidate.text);
  const [failed, setFailed] = useState<GatewayError | undefined>(undefined);
  const { id, scope } = candidate;
  const now = useQuery("GET /api/contract", { query: viewOf(scope) });
  const base = now.state === "ready" ? now.data.contract : undefined;
  const isEmpty = text.trim() === "";
  const as = { type, text };
  const preview = usePreview(
    "POST /api/candidates/{id}/promote",
    isEmpty ? undefined : { params: { id }, query: { dryRun: "true" }, body: { as } },
    base?.hash,
  );
  const edit = useWrite("POST /api/candidates/{id}/edit");
  const tell = useToast();
  const error = failed ?? preview.error;
  async function promote(event: FormEvent) {
    event.preventDefault();
    if (isEmpty) return;
    setFailed(await onPromote(as));
  }
  async function keep() {
    const outcome = await edit.run({ params: { id }, body: as });
    if (!outcome.ok) return setFailed(outcome.error);
    tell(`Saved as ${lineOf(as)}`);
    onClose();
  }
  return (
    <Dialog title="Edit, then promote" look="wide" open onClose={onClose}>
      <form className={style.edit} onSubmit={(event) => void promote(event)}>
        <div className="stack">
          <KindField
            type={type}
            onChange={(next) => {
              setType(next);
              setFailed(undefined);
            }}
          />
          <TextArea
            label="Text"
            rows={2}
            data-first=""
            maxLength={2_000}
            value={text}
            onChange={({ target: { value } }) => {
              const split = splitLine(value);
              setText(split.text);
              if (split.type !== undefined) setType(split.type);
              setFailed(undefined);
            }}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
          <div className="row">
            <Button type="submit" look="main" disabled={isEmpty || isRefusal(error)}>
              Promote candidate <kbd>Enter</kbd>
            </Button>
            <Button busy={edit.pending} disabled={isEmpty} onClick={() => void keep()}>
              Save as candidate
            </Button>
            <Button onClick={onClose}>Cancel</Button>
          </div>
        </div>
        <section className="stack" aria-label="Preview">
          <h3>
            Prompt block for <Text>{scopeInWords(scope)}</Text>
          </h3>
          <div role="status">{error !== undefined && <ErrorText error={error} />}</div>
          {base !== undefined && (
            <BlockDiff
              label="Prompt block with changes"
              before={base.block}
              after={preview.value?.contract.block ?? base.block}
            />
          )}
        </section>
      </form>
    </Dialog>
  );
}

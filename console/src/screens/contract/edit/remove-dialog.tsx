import { type FormEvent, useState } from "react";
import type { BehaviorDirective } from "../../../../../src/base/words/contract.ts";
import { useWrite } from "../../../data/use-query.ts";
import { Button } from "../../../ui/button.tsx";
import { Diff } from "../../../ui/data/diff.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { TextField } from "../../../ui/field.tsx";
import { ErrorText } from "../../../ui/states.tsx";
import { useToast } from "../../../ui/toast.tsx";
import { lineOf, scopeInWords } from "../words.ts";

export function RemoveDialog({
  directive,
  onClose,
  onUndo,
}: {
  readonly directive: BehaviorDirective;
  readonly onClose: () => void;
  readonly onUndo: () => void;
}) {
  const [reason, setReason] = useState("");
  const remove = useWrite("DELETE /api/contract/directives/{id}");
  const tell = useToast();
  async function run(event: FormEvent) {
    event.preventDefault();
    const why = reason.trim() === "" ? {} : { reason: reason.trim() };
    const outcome = await remove.run({ params: { id: directive.id }, query: why });
    if (!outcome.ok) return;
    tell(`${lineOf(directive)} is removed from the next turn on`, {
      tone: "passed",
      action: { label: "Undo", run: onUndo },
    });
    onClose();
  }
  return (
    <Dialog title="Remove this directive?" open onClose={onClose}>
      <form className="stack" onSubmit={(event) => void run(event)}>
        <Diff
          lines={[{ kind: "gone", text: lineOf(directive) }]}
          label={`No longer shown to ${scopeInWords(directive.scope)}`}
        />
        <TextField
          label="Reason"
          hint="Optional. Saved in the history."
          data-first=""
          maxLength={500}
          value={reason}
          onChange={({ target: { value } }) => setReason(value)}
        />
        {remove.error !== undefined && <ErrorText error={remove.error} />}
        <div className="row">
          <Button type="submit" look="danger" busy={remove.pending}>
            Remove directive
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

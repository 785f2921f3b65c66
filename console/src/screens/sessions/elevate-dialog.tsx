import { useState } from "react";
import { useWrite } from "../../data/use-query.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Select } from "../../ui/field.tsx";
import { ErrorText } from "../../ui/states.tsx";
import { useToast } from "../../ui/toast.tsx";

const TIMES = { "10m": "10 minutes", "1h": "1 hour", "8h": "8 hours" } as const;

/** Elevates a conversation for a time, or ends that. */
export function ElevateDialog({
  id,
  open,
  onClose,
}: {
  readonly id: string;
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const tell = useToast();
  const [time, setTime] = useState<string>("10m");
  const elevate = useWrite("POST /api/sessions/{id}/elevation");
  const end = useWrite("DELETE /api/sessions/{id}/elevation");
  const error = elevate.error ?? end.error;
  const done = (text: string) => (outcome: { readonly ok: boolean }) => {
    if (!outcome.ok) return;
    onClose();
    tell(text, { tone: "passed" });
  };
  const close = () => {
    elevate.reset();
    end.reset();
    onClose();
  };
  return (
    <Dialog title="Elevate this session?" open={open} onClose={close}>
      <p>
        Questions are answered yes, and workspace and risk limits are lifted. Rules and the gateway's sandbox stay in
        force.
      </p>
      <Select label="For" value={time} onChange={(event) => setTime(event.target.value)}>
        {Object.entries(TIMES).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </Select>
      {error !== undefined && <ErrorText error={error} />}
      <div className="row">
        <Button
          look="danger"
          busy={elevate.pending}
          onClick={() => void elevate.run({ params: { id }, body: { time } }).then(done("The session is elevated"))}
        >
          Elevate session
        </Button>
        <Button
          busy={end.pending}
          onClick={() => void end.run({ params: { id } }).then(done("The session is not elevated"))}
        >
          End elevation
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </Dialog>
  );
}

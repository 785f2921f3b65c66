import { useWrite } from "../../data/use-query.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorText } from "../../ui/states.tsx";

export function DeleteDialog({
  id,
  open,
  onClose,
  onDone,
}: {
  readonly id: string;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const remove = useWrite("DELETE /api/sessions/{id}");
  return (
    <Dialog title="Delete this conversation?" open={open} onClose={onClose}>
      <p>Its transcript, turns and journal are deleted. Changes to the contract stay.</p>
      {remove.error !== undefined && <ErrorText error={remove.error} />}
      <div className="row">
        <Button
          look="danger"
          busy={remove.pending}
          onClick={() =>
            void remove.run({ params: { id } }).then((outcome) => {
              if (!outcome.ok) return;
              onClose();
              onDone();
            })
          }
        >
          Delete conversation
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}

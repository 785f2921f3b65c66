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
      <p>Its transcript, its turns and its journal go. What was decided about the contract stays.</p>
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
          Delete it
        </Button>
        <Button onClick={onClose}>Keep it</Button>
      </div>
    </Dialog>
  );
}

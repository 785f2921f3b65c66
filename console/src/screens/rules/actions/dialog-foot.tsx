import type { GatewayError } from "../../../data/client.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorText } from "../../../ui/states.tsx";

/** The error, the confirming button and Cancel of a dialog. */
export function DialogFoot({
  error,
  pending,
  disabled = false,
  label,
  look = "main",
  run,
  onClose,
}: {
  readonly error: GatewayError | undefined;
  readonly pending: boolean;
  readonly disabled?: boolean;
  readonly label: string;
  readonly look?: "main" | "danger";
  readonly run: () => Promise<void>;
  readonly onClose: () => void;
}) {
  return (
    <>
      {error !== undefined && <ErrorText error={error} />}
      <div className="row">
        <Button look={look} busy={pending} disabled={disabled} onClick={() => void run()}>
          {label}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </>
  );
}

import type { GatewayError } from "../../../data/client.ts";
import { Text } from "../../../ui/text.tsx";
import { faultsOf } from "../../agents/form/faults.ts";
import style from "../rules.module.css";

/** The faults of a rejected definition, each with its path and a hint. */
export function FaultList({ error }: { readonly error: GatewayError | undefined }) {
  const faults = faultsOf(error);
  if (faults.length === 0) return null;
  return (
    <ul className={style.marks} aria-label="Faults in the definition">
      {faults.map(({ path, message, hint }) => (
        <li key={`${path} ${message}`} className={style.error}>
          <Text className="mono">{path}</Text> <Text>{message}</Text>
          {hint !== undefined && (
            <span className="quiet">
              {" → "}
              <Text>{hint}</Text>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

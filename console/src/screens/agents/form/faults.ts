import type { GatewayError } from "../../../data/client.ts";

/** A fault in a definition; `path` begins with `agents.NAME`. */
export type Fault = { readonly path: string; readonly message: string; readonly hint?: string };

/** Returns the faults of a rejected definition. */
export function faultsOf(error: GatewayError | undefined): readonly Fault[] {
  const faults = error?.problem.faults;
  return Array.isArray(faults) ? (faults as readonly Fault[]) : [];
}

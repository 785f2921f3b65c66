import { userInfo } from "node:os";

/** The name of the account, whose instructions and memory local sessions use; `undefined` if it has none. */
export function accountName(): string | undefined {
  try {
    return userInfo().username || undefined;
  } catch {
    // Accounts without a name exist in some containers.
    return undefined;
  }
}

/** The machine's time zone. */
export function machineZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

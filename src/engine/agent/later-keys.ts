import type { ConfigPath } from "./config-fault.ts";

const OF_FILE = ["store"];

/** Keys that the design has and this version does not: they must not be passed over in silence. */
export function isLaterKey(path: ConfigPath, key: string): boolean {
  return path.length === 0 && OF_FILE.includes(key);
}

import type { ConfigPath } from "./config-fault.ts";

const OF_FILE = ["schedules", "store", "gateway"];
const OF_CHANNEL = ["operators"];

/** Keys that the design has and this version does not: they must not be passed over in silence. */
export function isLaterKey(path: ConfigPath, key: string): boolean {
  if (path.length === 0) return OF_FILE.includes(key);
  return path.length === 2 && path[0] === "channels" && OF_CHANNEL.includes(key);
}

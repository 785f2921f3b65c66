import { isObject, parseObject } from "../../base/kernel/json.ts";

/** A trusted file: its real path, its content, since when. */
export type TrustEntry = { readonly path: string; readonly sha256: string; readonly at: string };

/** By real path. */
export type TrustEntries = ReadonlyMap<string, TrustEntry>;

const VERSION = 1;

/** What a trust file says, or why it says nothing: half a file is not half the trust. */
export function parseTrust(text: string): TrustEntries | string {
  const content = parseObject(text);
  if (content === undefined) return "it is not JSON";
  if (content.version !== VERSION) return `it has version ${JSON.stringify(content.version)}, not ${VERSION}`;
  if (!isObject(content.files)) return "it has no 'files'";
  const entries = new Map<string, TrustEntry>();
  for (const [path, entry] of Object.entries(content.files)) {
    if (!isObject(entry) || !path.startsWith("/")) return `the entry ${JSON.stringify(path)} is not one of ours`;
    const { sha256, at } = entry;
    if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256) || typeof at !== "string") {
      return `the entry ${JSON.stringify(path)} is not one of ours`;
    }
    entries.set(path, { path, sha256, at });
  }
  return entries;
}

/** Sorted, so that two versions of it can be compared. */
export function renderTrust(entries: TrustEntries): string {
  const sorted = [...entries.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  const files = Object.fromEntries(sorted.map(({ path, sha256, at }) => [path, { sha256, at }]));
  return `${JSON.stringify({ version: VERSION, files }, null, 2)}\n`;
}

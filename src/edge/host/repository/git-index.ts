/** A tracked file as git's index knows it. */
export type IndexEntry = {
  readonly path: string;
  readonly id: string;
  readonly size: number;
  readonly seconds: number;
  readonly nanoseconds: number;
};

/** Reads `.git/index`, versions 2 to 4. Returns as many entries as can be read. */
export function parseGitIndex(bytes: Buffer, idLength = 20): readonly IndexEntry[] {
  if (bytes.length < 12 || bytes.toString("latin1", 0, 4) !== "DIRC") return [];
  const version = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  if (version < 2 || version > 4) return [];
  const entries: IndexEntry[] = [];
  let at = 12;
  let before = Buffer.alloc(0);
  while (entries.length < count && at + 42 + idLength < bytes.length) {
    const start = at;
    const flagsAt = start + 40 + idLength;
    const extended = version > 2 && (bytes.readUInt16BE(flagsAt) & 0x4000) !== 0;
    at = flagsAt + (extended ? 4 : 2);
    let kept = Buffer.alloc(0);
    if (version === 4) {
      const dropped = readOffset(bytes, at);
      at = dropped.next;
      kept = before.subarray(0, Math.max(0, before.length - dropped.value));
    }
    const end = bytes.indexOf(0, at);
    if (end < 0) break;
    const path = Buffer.concat([kept, bytes.subarray(at, end)]);
    before = path;
    // Versions 2 and 3 pad every entry to a multiple of 8 bytes, with at least one zero byte.
    at = version === 4 ? end + 1 : start + Math.ceil((end - start + 1) / 8) * 8;
    entries.push({
      path: path.toString("utf8"),
      id: bytes.toString("hex", start + 40, flagsAt),
      size: bytes.readUInt32BE(start + 36),
      seconds: bytes.readUInt32BE(start + 8),
      nanoseconds: bytes.readUInt32BE(start + 12),
    });
  }
  return entries;
}

/** Git's variable-length number. */
function readOffset(bytes: Buffer, from: number): { readonly value: number; readonly next: number } {
  let at = from;
  let byte = bytes[at] ?? 0;
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0 && at < from + 5) {
    at += 1;
    byte = bytes[at] ?? 0;
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, next: at + 1 };
}

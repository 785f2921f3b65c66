/** Texts that break tokenizers and cuts, of any length, for tests and benchmarks. The same every time. */
export const SAMPLE_TEXTS: Readonly<Record<string, (length: number) => string>> = {
  "one letter": (length) => "x".repeat(length),
  spaces: (length) => " ".repeat(length),
  base64: (length) => random(length, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"),
  emoji: (length) => repeated("😀", length),
  CJK: (length) => random(length, 0x4e00, 0x9fff),
  "real log": (length) => logText(length),
  "random unicode": (length) => random(length, 0x20, 0xd7ff),
  "one giant line": (length) => repeated("value=17; name='a b', ", length),
  "ZWJ emoji chains": (length) => repeated("👩‍❤️‍👨‍", length),
  "combining marks": (length) => random(length, 0x300, 0x36f),
  "random letters": (length) => random(length, "abcdefghijklmnopqrstuvwxyz"),
};

/** Lines of a service's log, as many as make the length. */
export function logText(length: number): string {
  const lines: string[] = [];
  for (let at = 0, i = 0; at < length; i++) {
    const id = (Math.imul(i, 2_654_435_761) >>> 0).toString(16);
    const line = `2026-11-15T10:${i % 60}:${(i * 7) % 60}.${i % 1000}Z INFO worker-${i % 16} handled request id=${id} in ${i % 97}ms path=/api/v1/items/${i}\n`;
    lines.push(line);
    at += line.length;
  }
  return lines.join("").slice(0, length);
}

function repeated(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length));
}

/** Characters from an alphabet or a range of code units; only the first 256 KB are new, which is more than anybody reads. */
function random(length: number, from: string | number, to = 0): string {
  let seed = 1;
  const next = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const one = (): string =>
    typeof from === "string" ? (from[next(from.length)] ?? "") : String.fromCharCode(from + next(to - from + 1));
  return repeated(Array.from({ length: Math.min(length, 256 * 1024) }, one).join(""), length).slice(0, length);
}

/** Items with the same key say the same: case, white space, quotes and closing punctuation aside. */
export function itemKey(text: string): string {
  const plain = text.normalize("NFC").toLowerCase().replace(/[‘’]/g, "'").replace(/[“”„]/g, '"');
  const words = plain.split(/\s+/).join(" ").trim();
  return words.replace(/[ .!;,]{1,20}$/, "") || words;
}

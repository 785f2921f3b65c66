const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** How many characters a reader sees, counted up to `most`. */
export function graphemesOf(text: string, most: number): number {
  let count = 0;
  for (const _ of graphemes.segment(text)) {
    count += 1;
    if (count >= most) break;
  }
  return count;
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** The words of a text as they are compared: without case and accents. */
export function wordsOf(text: string): readonly string[] {
  return (text.match(WORD) ?? []).map(foldWord).filter((word) => word !== "");
}

/** The words to look for, each once. Single letters (the s of "user's") say nothing beside longer words. */
export function queryWords(text: string): readonly string[] {
  const words = [...new Set(wordsOf(text))];
  const longer = words.filter((word) => word.length > 1 || !/[a-z0-9]/.test(word));
  return longer.length > 0 ? longer : words;
}

function foldWord(word: string): string {
  return word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

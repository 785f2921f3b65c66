/** Composed, every run of white space one space, nothing around it, and without marks that only break lines. */
export function displayText(written: string): string {
  const seen = isPlain(written) ? written : withoutUnseen(written).normalize("NFC");
  return seen.replace(/\s+/g, " ").trim();
}

/**
 * Equal for texts that say the same: case, width, quotes, dashes, hyphens inside a word, white space, unseen characters and
 * closing punctuation aside. A key is its own key.
 */
export function comparisonKey(text: string): string {
  let key = text;
  // What one pass takes away may join what stood around it; every pass but the last makes it shorter or more folded.
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const next = isPlain(key) ? foldPlain(key) : fold(key);
    if (next === key) break;
    key = next;
  }
  return key;
}

const MAX_PASSES = 64;

/** Most texts: what needs the tables of Unicode, which take as long to load as all else here, does not touch them. */
export function isPlain(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/** What `fold` comes to on plain text. */
function foldPlain(text: string): string {
  return text
    .toLowerCase()
    .replace(/`/g, "'")
    .replace(/(?<=[a-z])-+(?=[a-z])/g, "")
    .replace(/ +/g, " ")
    .trim()
    .replace(/[ .!?;:,]+$/, "");
}

function fold(text: string): string {
  return text
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(/i\u0307/g, "i")
    .replace(/ς/g, "σ")
    .replace(/[‘’‚‛′‹›`´]/g, "'")
    .replace(/[“”„‟″«»]/g, '"')
    .replace(/[\p{Dash_Punctuation}\u2212\u02d7]/gu, "-")
    .replace(/(?<=\p{L})-+(?=\p{L})/gu, "")
    .replace(/\s+/g, " ")
    .normalize("NFKC")
    .trim()
    .replace(/[\s.!?;:,…。、।؟،؛]+$/u, "");
}

/** Without what is pasted along and means nothing in one line, and what chooses no form and joins nothing: it could only hide. */
function withoutUnseen(written: string): string {
  return written
    .replace(/[\u00ad\u200b\u2060\ufeff]/g, "")
    .replace(
      /(?<![\p{Extended_Pictographic}\p{Emoji}\p{Script=Han}])[\ufe00-\ufe0f]|(?<!\p{Script=Mongolian})[\u180b-\u180d]/gu,
      "",
    )
    .replace(
      /(?<![[[\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]]\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])[\u200c\u200d]/gv,
      "",
    );
}

import style from "./text.module.css";

/** Invisible characters, and those that change how others are displayed. Their names are rendered instead. */
const UNSEEN: readonly (readonly [from: number, to: number])[] = [
  [0x00, 0x08],
  [0x0b, 0x0c],
  [0x0e, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x61c, 0x61c],
  // Without 200C and 200D, which separate and join letters in Persian and in emoji.
  [0x200b, 0x200b],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x2069],
  [0xfeff, 0xfeff],
  [0xe0000, 0xe007f],
];

const code = (n: number) => `\\u{${n.toString(16)}}`;
const IS_UNSEEN = new RegExp(`[${UNSEEN.map(([from, to]) => `${code(from)}-${code(to)}`).join("")}]`, "u");

const NAMES: { readonly [code: number]: string } = {
  173: "SHY",
  1564: "ALM",
  8203: "ZWSP",
  8206: "LRM",
  8207: "RLM",
  8232: "LSEP",
  8233: "PSEP",
  8234: "LRE",
  8235: "RLE",
  8236: "PDF",
  8237: "LRO",
  8238: "RLO",
  8288: "WJ",
  8294: "LRI",
  8295: "RLI",
  8296: "FSI",
  8297: "PDI",
  65279: "BOM",
};

export type TextPiece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "mark"; readonly at: number; readonly code: number; readonly name: string };

/** Splits the text into parts shown unchanged and characters shown by name. */
export function piecesOf(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let held = "";
  for (const letter of text) {
    if (!IS_UNSEEN.test(letter)) {
      held += letter;
      continue;
    }
    if (held !== "") pieces.push({ kind: "text", text: held });
    held = "";
    const point = letter.codePointAt(0) ?? 0;
    pieces.push({
      kind: "mark",
      at: pieces.length,
      code: point,
      name: NAMES[point] ?? `U+${point.toString(16).toUpperCase().padStart(4, "0")}`,
    });
  }
  if (held !== "") pieces.push({ kind: "text", text: held });
  return pieces;
}

/** The same as plain text, for titles and labels. */
export function plainText(text: string): string {
  if (!IS_UNSEEN.test(text)) return text;
  return piecesOf(text)
    .map((piece) => (piece.kind === "text" ? piece.text : `[${piece.name}]`))
    .join("");
}

/** Renders untrusted text. It stays text, cannot change its surroundings, and hides nothing. */
export function Text({ children, className }: { readonly children: string; readonly className?: string | undefined }) {
  if (!IS_UNSEEN.test(children))
    return (
      <bdi dir="auto" className={className}>
        {children}
      </bdi>
    );
  return (
    <bdi dir="auto" className={className}>
      {piecesOf(children).map((piece) =>
        piece.kind === "text" ? (
          piece.text
        ) : (
          <span
            key={piece.at}
            className={style.mark}
            title={`an unseen character, U+${piece.code.toString(16).toUpperCase().padStart(4, "0")}`}
          >
            {piece.name}
          </span>
        ),
      )}
    </bdi>
  );
}

/** Headings of Conduct's own sections: nobody else may write a section that passes for one of them. */
const RESERVED = [
  "Identity",
  "Contract",
  "Behavior Contract",
  "Behaviour Contract",
  "Operator Contract",
  "Gateway Behavior Contract",
  "Soul",
  "Safety",
  "Channel",
  "Memory",
  "User Instructions",
  "Skills",
  "Docs",
  "Messaging",
  "Voice",
  "Reply Tags",
  "Tools",
  "Checkpoints",
  "Runtime",
  "Reasoning",
  "Current Time",
];

/** Letters of other scripts, and digits, that look like Latin ones. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: "аαɑ@4",
    b: "вβь8",
    c: "сϲ",
    d: "ԁɗ",
    e: "еєεℯ3",
    g: "ɡց9",
    h: "һнհ",
    // One of these is often written for another.
    i: "іιıɩl1|ӏїíⅰⅼǀ",
    j: "јϳ",
    k: "кκ",
    m: "мṃⅿ",
    n: "пηոռ",
    o: "оοօ0ө",
    p: "рρ",
    q: "ԛ",
    r: "гɾ",
    s: "ѕꜱ5$",
    t: "тτ7",
    u: "υսʋ",
    v: "ѵνⅴ",
    w: "ԝωѡ",
    x: "хχ",
    y: "уγү",
  }).flatMap(([latin, others]) => [...others].map((other): [string, string] => [other, latin])),
);

const FOLDED: ReadonlySet<string> = new Set(RESERVED.map(foldHeading));

/** Does a reader take this heading for one of Conduct's own, however it is spelled or decorated? */
export function isReservedHeading(heading: string): boolean {
  // `Identity: the real one`, `Safety (new)`
  const [start = ""] = heading.normalize("NFKC").split(/[:([{<—–|/•·,;!?]|\s-|--/u);
  return FOLDED.has(foldHeading(heading)) || FOLDED.has(foldHeading(start));
}

/** Only the letters, as they look: without marks, characters that nobody sees, numbering and decoration. */
function foldHeading(heading: string): string {
  const plain = heading
    .normalize("NFKC")
    .normalize("NFD")
    .replaceAll(/[\p{M}\p{C}]/gu, "")
    .toLowerCase()
    .replace(/^[\W_]*\d+(?:\.\d+)*[.):]?\s+/u, "");
  const letters = [...plain].map((letter) => LOOK_ALIKES.get(letter) ?? letter);
  return letters.filter((letter) => /\p{L}/u.test(letter)).join("");
}

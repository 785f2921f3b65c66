/** Headings of Conduct's own sections, which no other section may imitate. */
const RESERVED = [
  "Identity, Contract, Behavior Contract, Behaviour Contract, Operator Contract, Gateway Behavior Contract",
  "Soul, Safety, Channel, Memory, User Instructions, Skills, Docs, Messaging, Voice, Reply Tags, Tools",
  "Checkpoints, Runtime, Reasoning, Current Time",
].flatMap((line) => line.split(", "));

/** Each Latin letter, followed by the characters that look like it. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  [
    "aаαɑ@4 bвβь8 cсϲ dԁɗ eеєεℯ3 gɡց9 hһнհ iіιıɩl1|ӏїíⅰⅼǀ jјϳ kкκ mмṃⅿ nпηոռ oоοօ0ө pрρ qԛ rгɾ sѕꜱ5$ tтτ7",
    "uυսʋ vѵνⅴ wԝωѡ xхχ yуγү",
  ]
    .flatMap((line) => line.split(" "))
    .flatMap(([latin = "", ...others]) => others.map((other): [string, string] => [other, latin])),
);

const FOLDED: ReadonlySet<string> = new Set(RESERVED.map(foldHeading));

/** True if a reader would take this heading for one of Conduct's own. */
export function isReservedHeading(heading: string): boolean {
  // `Identity: the real one`, `Safety (new)`
  const [start = ""] = heading.normalize("NFKC").split(/[:([{<—–|/•·,;!?]|\s-|--/u);
  return FOLDED.has(foldHeading(heading)) || FOLDED.has(foldHeading(start));
}

/** Only the letters, without marks, invisible characters, numbering and decoration. */
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

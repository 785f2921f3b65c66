/** A mode as it is written, `modes` for all of them. */
export type ModeName = "think" | "verbose" | "elevated" | "modes";

/** `/think`, `/think@bot`, `/think:high`: the token alone, without what may follow after a space. */
export type ModeToken = {
  readonly name: ModeName;
  /** Written as `/nothink`: off, and no value. */
  readonly off: boolean;
  /** What stands after the colon; empty when nothing does. */
  readonly value: string;
  readonly end: number;
};

const NAMES: ReadonlyMap<string, ModeName> = new Map([
  ["think", "think"],
  ["thinking", "think"],
  ["t", "think"],
  ["nothink", "think"],
  ["verbose", "verbose"],
  ["v", "verbose"],
  ["noverbose", "verbose"],
  ["elevated", "elevated"],
  ["elev", "elevated"],
  ["noelevated", "elevated"],
  ["modes", "modes"],
]);

/** Names long enough to be misspelt. */
export const LONG_NAMES: readonly string[] = [...NAMES.keys()].filter((name) => name.length > 4);

/** A slash anywhere else makes it a path, and a path is no mode. */
const TOKEN = /\/([a-z]+)(?:@\w{1,64})?(?::([^\s/]{0,32}))?(?!\S)/iy;

/** The mode that stands exactly here; `undefined` when none does. */
export function modeAt(text: string, at: number): ModeToken | undefined {
  TOKEN.lastIndex = at;
  const [all = "", word = "", value = ""] = TOKEN.exec(text) ?? [];
  const written = word.toLowerCase();
  const name = NAMES.get(written);
  if (name === undefined) return undefined;
  return { name, off: written.startsWith("no"), value: value.toLowerCase(), end: at + all.length };
}

import { isLiteral, type ShellWord } from "../shell/shell-word.ts";
import type { Settings } from "./shell-state.ts";

export type ShellOptions = Pick<Settings, "errexit" | "pipefail">;

/** Options of a shell that change neither what it runs nor how it ends. */
const HARMLESS = /^--(?:norc|noprofile|login|posix|noediting|verbose)$/;

/** The options after `set -eo pipefail`, or of `bash -ec …`; `undefined` if the commands may not run, as with `-n`. */
export function withOptions(
  words: readonly ShellWord[],
  { errexit, pipefail }: ShellOptions,
): ShellOptions | undefined {
  const names: (readonly [name: string, isOn: boolean])[] = [];
  for (let i = 0; i < words.length; i += 1) {
    const { text } = words[i] ?? { text: "" };
    if (!words.slice(i, i + 1).every(isLiteral)) return undefined;
    const [, sign, letters = ""] = /^([-+])([a-zA-Z]+)$/.exec(text) ?? [];
    if (sign === undefined) {
      if (HARMLESS.test(text)) continue;
      if (text.startsWith("--") && text !== "--") return undefined;
      break;
    }
    const isOn = sign === "-";
    names.push(...[...letters].map((letter) => [letter, isOn] as const));
    if (!/[oO]/.test(letters)) continue;
    i += 1;
    const named = words[i];
    if (named === undefined || !isLiteral(named)) return undefined;
    names.push([named.text, isOn]);
  }
  if (names.some(([name, isOn]) => isOn && /^(?:[ntD]|noexec|onecmd)$/.test(name))) return undefined;
  const last = (...either: string[]) => names.findLast(([name]) => either.includes(name))?.[1];
  return { errexit: last("e", "errexit") ?? errexit, pipefail: last("pipefail") ?? pipefail };
}

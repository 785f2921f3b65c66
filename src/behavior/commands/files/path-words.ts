import type { ShellRun } from "../shell/shell-line.ts";
import { baseName, knownPrefix, type ShellWord, wordFrom } from "../shell/shell-word.ts";

/** Commands whose words are text, that only ask whether a file is there, or that run it: what is run is not read. */
const TEXT = new Set(
  (
    "echo printf tr expr seq basename dirname realpath readlink true false : export declare local readonly set unset alias " +
    "kill sleep date test [ [[ which type hash trap return exit source . df"
  ).split(" "),
);
/** Commands that take a lone `/` as what separates fields. */
const SEPARATED = new Set("cut sort awk gawk column paste jq xargs tr sed perl join".split(" "));

/** The words, of any command, that lead out of the folder: `/…`, `~/…`, `…/..`; as an option's value too, and in `file://…`. */
export function pathWords({ words, keyword, inside }: ShellRun): readonly ShellWord[] {
  if (keyword !== undefined) {
    return keyword === "[[" ? [] : words.flatMap(valuesIn).filter(({ text }) => leadsOut(text));
  }
  const sure = inside.spans.filter((span) => span.sure);
  const first = sure[0]?.from ?? words.length;
  const program = baseName(words[sure.at(-1)?.from ?? first]?.text ?? "");
  const starts = new Set(sure.map(({ from }) => from));
  // What runs elsewhere has its files there.
  const end = inside.remote ? (sure.at(-1)?.from ?? words.length) : words.length;
  if (TEXT.has(program) && sure.length === 1) return [];
  return words.slice(0, end).flatMap((word, i) => {
    if (i < first || starts.has(i)) return [];
    return valuesIn(word).filter(({ text }) => leadsOut(text) && !(text === "/" && SEPARATED.has(program)));
  });
}

function leadsOut(text: string): boolean {
  return /^(?:\/|~(?:\/|$))|(?:^|\/)\.\.(?:\/|$)/.test(text);
}

/** The part of a word that may be a path. */
function valuesIn(word: ShellWord): readonly ShellWord[] {
  const [start = ""] =
    /^(?:--?[\w.-]+=|-[A-Za-z](?=[/~.@])|[\w.-]+=)?(?:@|file:\/\/(?:localhost(?=\/))?)?/.exec(word.text) ?? [];
  const value = wordFrom(word, start.length);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value.text)) return [];
  // `-v /from:/to`, `HEAD:../x`
  const colon = value.text.indexOf(":");
  if (colon < 1) return [value];
  const before = value.text.slice(0, colon);
  const unknown = before.length <= knownPrefix(value).length ? undefined : value.unknown;
  return [value, { ...value, text: before, unknown }];
}

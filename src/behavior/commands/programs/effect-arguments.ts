import type { ProgramSpec } from "../../../base/words/hosting/program.ts";
import type { Json } from "../../../base/words/json.ts";
import type { ShellWord } from "../shell/shell-word.ts";
import { type Arguments, tokensOf } from "./arguments.ts";

/** `paths` is always a list. */
export function argumentOf(key: string, value: string, args: Arguments): Json | undefined {
  const given = argument(value, args);
  return key === "paths" && typeof given === "string" ? given.split(/[\s\0,]+/).filter((path) => path !== "") : given;
}

/** The value of an effect's argument; see programs.yaml. */
function argument(value: string, args: Arguments): Json | undefined {
  if (value === "") return true;
  if (value === "$url") return args.values("--url")[0] ?? args.operand(1);
  if (value === "$last") return args.operands.at(-1)?.text;
  if (value === "$paths") return pathOperands(args).map(({ text }) => text);
  if (value === "$sources") return args.operands.slice(0, -1).map(({ text }) => text);
  if (value === "$*") return args.operands.map(({ text }) => text);
  const [, from, more] = /^\$(\d+)(\.\.)?$/.exec(value) ?? [];
  if (from !== undefined) {
    return more === undefined
      ? args.operand(Number(from))
      : args.operands.slice(Number(from) - 1).map(({ text }) => text);
  }
  if (value.startsWith("=")) return args.values(value.slice(1)).at(-1);
  return /^[a-z]/.test(value) ? value : args.selects(value);
}

/** The operands that are paths where the first one may be a branch or a commit; a name with an ending is a file. */
function pathOperands({ operands, dashed }: Arguments): readonly ShellWord[] {
  if (dashed !== undefined) return operands.slice(dashed);
  const [first, ...more] = operands;
  return more.length > 0 && !/\.[a-z]\w*$/i.test(first?.text ?? "") ? more : operands;
}

/** The names of the scripts or targets that a command runs. */
export function targetWords(
  spec: ProgramSpec,
  args: Arguments,
  rest: readonly ShellWord[],
  command: string,
): readonly string[] {
  if (spec.targetOrRuns !== undefined) return rest.slice(0, 1).map(({ text }) => text);
  if (spec.targets === undefined) return [];
  if (spec.targets === "self") return [command];
  const fromOptions = tokensOf(spec.alsoOptions ?? "").flatMap((option) =>
    args.values(option).flatMap((one) => one.split(/[,:]/)),
  );
  const [from, to] = spec.targets === "last" ? [-1] : [0, spec.targets === "first" ? 1 : undefined];
  const operands = args.operands.slice(from, to).map(({ text }) => text);
  const lasts = (text: string) =>
    text
      .replace(/ *\/ */g, "/")
      .split(/[ ,;]+/)
      .flatMap((name) => [name, name.split(/[/.@+]/).at(-1) ?? ""]);
  const names = spec.targets === "words" ? [...new Set(operands.flatMap(lasts))] : operands;
  return [...names, ...fromOptions].filter((name) => !name.includes("=") && name !== "--");
}

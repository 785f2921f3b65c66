import { nearest } from "../../../base/kernel/nearest.ts";
import type { Group } from "./command.ts";
import { opened, type WrongLine } from "./command-line.ts";

export async function unknownCommand(path: readonly string[], word: string, group: Group): Promise<WrongLine> {
  const names = Object.keys(group.commands);
  const meant = nearest(word, names);
  const below = meant === undefined ? undefined : group.commands[meant];
  if (meant === undefined || below === undefined) {
    return wrong(path, "UNKNOWN_COMMAND", `unknown command '${word}'; there are: ${names.join(", ")}`);
  }
  const instead = [...path, meant];
  const fix = "commands" in (await opened(below)) ? helpOf(instead) : ["conduct", ...instead].join(" ");
  return wrong(path, "UNKNOWN_COMMAND", `unknown command '${word}': did you mean '${meant}'?`, fix);
}

export function missingCommand(path: readonly string[], group: Group): WrongLine {
  const names = Object.keys(group.commands);
  const message = `'conduct ${path.join(" ")}' needs a command: ${names.join(", ")}`;
  return wrong(path, "MISSING_COMMAND", message, `conduct ${[...path, names[0]].join(" ")}`);
}

export function unknownOption(path: readonly string[], strange: string, known: readonly string[]): WrongLine {
  const meant = nearest(
    strange,
    known.filter((option) => !option.startsWith("--no-")),
  );
  const hint = meant === undefined ? "" : `: did you mean '${meant}'?`;
  return wrong(path, "UNKNOWN_OPTION", `unknown option '${strange}'${hint}`);
}

export function extraArgument(path: readonly string[], extra: string, places: number): WrongLine {
  const takes = places === 0 ? "no arguments" : "no further argument";
  return wrong(path, "EXTRA_ARGUMENT", `'conduct ${path.join(" ")}' takes ${takes}: '${extra}'`);
}

export function badArgument(path: readonly string[], message: string): WrongLine {
  return wrong(path, "BAD_ARGUMENT", message);
}

function wrong(path: readonly string[], code: WrongLine["code"], message: string, fix = helpOf(path)): WrongLine {
  return { kind: "wrong", path, code, message, fix };
}

function helpOf(path: readonly string[]): string {
  return ["conduct", ...path, "--help"].join(" ");
}

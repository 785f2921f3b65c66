import { nearest } from "../../../base/kernel/nearest.ts";
import type { ArgsDef, Command, Group } from "./command.ts";
import { COMMON_ARGS, opened, type WrongLine } from "./command-line.ts";
import type { Paint } from "./terminal.ts";

export async function renderHelp(path: readonly string[], node: Command | Group, paint: Paint): Promise<string> {
  const name = ["conduct", ...path].join(" ");
  const lines = "commands" in node ? await groupHelp(name, node, paint) : commandHelp(name, node, paint);
  return `${lines.join("\n")}\n`;
}

/** Every command, including those inside groups. */
export async function listCommands(
  path: readonly string[],
  group: Group,
): Promise<readonly { command: string; description: string }[]> {
  const listed = Object.entries(group.commands).map(async ([name, below]) => {
    const node = await opened(below);
    return "commands" in node
      ? listCommands([...path, name], node)
      : [{ command: [...path, name, ...positionals(node)].join(" "), description: node.description }];
  });
  return (await Promise.all(listed)).flat();
}

async function groupHelp(name: string, group: Group, paint: Paint): Promise<readonly string[]> {
  const commands = await listCommands([], group);
  return [
    "",
    `  ${paint("bold", name)}  ${group.description}`,
    "",
    ...table(commands.map(({ command, description }) => [command, description])),
    "",
    ...table([
      ["--json", COMMON_ARGS.json.description],
      ["--help", "Show help, also after a command"],
      ["--version", "Show the version"],
    ]),
    "",
  ];
}

function commandHelp(name: string, command: Command, paint: Paint): readonly string[] {
  const { description, args } = command;
  const all: ArgsDef = { ...args, ...COMMON_ARGS };
  const rows = Object.entries(all).map(([option, { type, description: about, default: preset }]) => [
    type === "positional" || type === "words" ? option.toUpperCase() : `--${option}`,
    preset === undefined ? about : `${about} (default: ${preset})`,
  ]);
  return [
    "",
    `  ${paint("bold", [name, ...positionals(command)].join(" "))}`,
    `  ${description}.`,
    "",
    ...table(rows),
    "",
  ];
}

function positionals({ args }: Command): readonly string[] {
  return Object.entries(args).flatMap(([name, { type, default: preset }]) => {
    if (type !== "positional" && type !== "words") return [];
    const shown = `${name.toUpperCase()}${type === "words" ? "…" : ""}`;
    return [preset === undefined ? shown : `[${shown}]`];
  });
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const width = Math.max(...rows.map(([first = ""]) => first.length));
  return rows.map(([first = "", second = ""]) => `    ${first.padEnd(width)}   ${second}`.trimEnd());
}

export async function unknownCommand(path: readonly string[], word: string, group: Group): Promise<WrongLine> {
  const names = Object.keys(group.commands);
  const meant = nearest(word, names);
  const below = meant === undefined ? undefined : group.commands[meant];
  if (meant === undefined || below === undefined) {
    return wrong(path, "UNKNOWN_COMMAND", `unknown command '${word}'; commands: ${names.join(", ")}`);
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

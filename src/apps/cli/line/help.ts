import type { ArgsDef, Command, Group } from "./command.ts";
import { COMMON_ARGS, opened } from "./command-line.ts";
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
    preset === undefined ? about : `${about} (${preset} unless told)`,
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

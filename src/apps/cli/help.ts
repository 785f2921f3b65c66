import type { Command, Group } from "./command.ts";
import { COMMON_ARGS } from "./command-line.ts";
import type { Paint } from "./paint.ts";

/** How a command, or a group of them, is used. */
export function renderHelp(path: readonly string[], node: Command | Group, paint: Paint): string {
  const name = ["conduct", ...path].join(" ");
  const lines = ["commands" in node ? groupHelp(name, node, paint) : commandHelp(name, node, paint)];
  return `${lines.flat().join("\n")}\n`;
}

/** Every command, groups opened. */
export function listCommands(
  path: readonly string[],
  group: Group,
): readonly { command: string; description: string }[] {
  return Object.entries(group.commands).flatMap(([name, node]) =>
    "commands" in node
      ? listCommands([...path, name], node)
      : [{ command: [...path, name, ...positionals(node)].join(" "), description: node.description }],
  );
}

function groupHelp(name: string, group: Group, paint: Paint): readonly string[] {
  const commands = listCommands([], group);
  return [
    "",
    `  ${paint("bold", name)}  ${group.description}`,
    "",
    ...table(commands.map(({ command, description }) => [command, description])),
    "",
    ...table([
      ["--json", COMMON_ARGS.json?.description ?? ""],
      ["--help", "Show help, also after a command"],
      ["--version", "Show the version"],
    ]),
    "",
  ];
}

function commandHelp(name: string, command: Command, paint: Paint): readonly string[] {
  const { description, args } = command;
  const all = { ...args, ...COMMON_ARGS };
  const rows = Object.entries(all).map(([option, { type, description: text = "", default: preset }]) => [
    type === "positional" ? option.toUpperCase() : `--${option}`,
    preset === undefined ? text : `${text} (${preset} unless told)`,
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

function positionals({ args, many }: Command): readonly string[] {
  return Object.entries(args)
    .filter(([, { type }]) => type === "positional")
    .map(([name, { default: preset }]) => {
      const shown = `${name.toUpperCase()}${many ? "…" : ""}`;
      return preset === undefined ? shown : `[${shown}]`;
    });
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const width = Math.max(...rows.map(([first = ""]) => first.length));
  return rows.map(([first = "", second = ""]) => `    ${first.padEnd(width)}   ${second}`.trimEnd());
}

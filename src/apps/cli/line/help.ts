import type { ArgDef, Command, Group } from "./command.ts";
import { COMMON_ARGS, opened } from "./command-line.ts";
import type { Paint } from "./paint.ts";

/** How a command, or a group of them, is used. */
export async function renderHelp(path: readonly string[], node: Command | Group, paint: Paint): Promise<string> {
  const name = ["conduct", ...path].join(" ");
  const lines = "commands" in node ? await groupHelp(name, node, paint) : commandHelp(name, node, paint);
  return `${lines.join("\n")}\n`;
}

/** Every command, groups opened. */
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
  const rows = Object.entries(all).map(([option, def]) => [
    def.type === "positional" ? option.toUpperCase() : `--${option}`,
    presetOf(def) === undefined ? def.description : `${def.description} (${presetOf(def)} unless told)`,
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
    .map(([name, def]) => {
      const shown = `${name.toUpperCase()}${many ? "…" : ""}`;
      return presetOf(def) === undefined ? shown : `[${shown}]`;
    });
}

function presetOf(def: ArgDef): string | undefined {
  return def.type === "positional" ? def.default : undefined;
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const width = Math.max(...rows.map(([first = ""]) => first.length));
  return rows.map(([first = "", second = ""]) => `    ${first.padEnd(width)}   ${second}`.trimEnd());
}

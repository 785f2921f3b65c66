import { nearest } from "../../../base/kernel/nearest.ts";
import { hang } from "../../shared/printable.ts";
import type { ArgDef, ArgsDef, Command, Group } from "./command.ts";
import { COMMON_ARGS, opened, type WrongLine } from "./command-line.ts";
import type { Terminal } from "./terminal.ts";

type Layout = Pick<Terminal, "paint" | "columns" | "invocation">;
type Line = readonly [first: string, second: string];

export async function renderHelp(path: readonly string[], node: Command | Group, layout: Layout): Promise<string> {
  const lines = "commands" in node ? await groupHelp(path, node, layout) : commandHelp(path, node, layout);
  return `${["", ...lines, ""].join("\n")}\n`;
}

/** Every command for people, including those inside groups. */
export async function listCommands(
  path: readonly string[],
  group: Group,
): Promise<readonly { readonly path: readonly string[]; readonly command: Command }[]> {
  const names = Object.entries(group.commands).filter(([name]) => !group.hidden?.includes(name));
  const listed = names.map(async ([name, below]) => {
    const node = await opened(below);
    return "commands" in node ? listCommands([...path, name], node) : [{ path: [...path, name], command: node }];
  });
  return (await Promise.all(listed)).flat();
}

async function groupHelp(path: readonly string[], group: Group, layout: Layout): Promise<readonly string[]> {
  const { paint, invocation } = layout;
  const name = ["conduct", ...path].join(" ");
  const isRoot = group.sections !== undefined;
  const body = isRoot
    ? sectionLines(group, layout)
    : table(
        (await listCommands([], group)).map(
          ({ path: [word = ""], command }): Line => [[word, ...placesOf(command)].join(" "), command.description],
        ),
        layout,
      );
  const more: Line = [
    `${isRoot ? invocation : [invocation, ...path].join(" ")} COMMAND --help`,
    isRoot ? "its options and an example; --json works everywhere" : "its options and an example",
  ];
  return [
    ...hang(`  ${paint("bold", name)}  `, group.description, layout.columns),
    "",
    ...body,
    "",
    ...hang(`  ${more[0]}   `, more[1], layout.columns),
  ];
}

const TITLE = 12;

/** One block for each task. Reads no declaration, so that the first help is quick. */
function sectionLines(group: Group, { paint, columns }: Layout): readonly string[] {
  const { sections = {}, hidden = [] } = group;
  const listed = Object.values(sections).flatMap((one) => Object.keys(one).flatMap((names) => names.split(", ")));
  const others = Object.keys(group.commands).filter((name) => !listed.includes(name) && !hidden.includes(name));
  const all = others.length === 0 ? sections : { ...sections, More: { [others.join(", ")]: "" } };
  const width = Math.max(...Object.values(sections).flatMap((one) => Object.keys(one).map((names) => names.length)));
  return Object.entries(all).flatMap(([title, rows]) =>
    Object.entries(rows).flatMap(([names, words], at) => {
      const lead = `  ${paint("bold", (at === 0 ? title : "").padEnd(TITLE))}`;
      return hang(words === "" ? lead : `${lead}${names.padEnd(width)}  `, words === "" ? names : words, columns);
    }),
  );
}

function commandHelp(path: readonly string[], command: Command, layout: Layout): readonly string[] {
  const { paint, columns, invocation } = layout;
  const { description, example } = command;
  const rows = argumentsOf(command).map(({ shown, about }): Line => [shown, about]);
  return [
    `  ${paint("bold", ["conduct", ...path, ...placesOf(command)].join(" "))}`,
    ...hang("  ", `${description}.`, columns),
    "",
    ...table(rows, layout),
    ...(example === undefined ? [] : ["", `  ${paint("dim", "Example:")} ${invocation} ${example}`]),
  ];
}

/** Every argument as it is written, and what it means. */
export function argumentsOf({ args }: Command): readonly { readonly shown: string; readonly about: string }[] {
  const all: ArgsDef = { ...args, ...COMMON_ARGS };
  return Object.entries(all).map(([name, def]) => ({
    shown: shownArgument(name, def),
    about:
      def.default === undefined || def.default === ""
        ? def.description
        : `${def.description} (default: ${def.default})`,
  }));
}

function shownArgument(name: string, { type }: ArgDef): string {
  if (type === "positional" || type === "words") return name.toUpperCase();
  if (name === "pager") return "--no-pager";
  return type === "string" ? `--${name} ${(name.split("-").at(-1) ?? name).toUpperCase()}` : `--${name}`;
}

/** The positional arguments, in brackets if they have a default. */
export function placesOf({ args }: Command): readonly string[] {
  return Object.entries(args).flatMap(([name, { type, default: preset }]) => {
    if (type !== "positional" && type !== "words") return [];
    const shown = `${name.toUpperCase()}${type === "words" ? "…" : ""}`;
    return [preset === undefined ? shown : `[${shown}]`];
  });
}

function table(rows: readonly Line[], { columns }: Layout): readonly string[] {
  const width = Math.max(...rows.map(([first]) => first.length));
  return rows.flatMap(([first, second]) => hang(`    ${first.padEnd(width)}  `, second, columns));
}

/** Suggests the commands of other groups that have this name, else the nearest command here. */
export async function unknownCommand(
  path: readonly string[],
  word: string,
  group: Group,
  root: Group,
): Promise<WrongLine> {
  const same = (await listCommands([], root)).filter((one) => one.path.at(-1) === word).map((one) => one.path);
  const names = Object.keys(group.commands).filter((name) => !group.hidden?.includes(name));
  const meant = nearest(word, names);
  const found = path.length === 0 && same.length > 0 ? same : meant === undefined ? same : [[...path, meant]];
  const [first] = found;
  if (first === undefined)
    return wrong(path, "UNKNOWN_COMMAND", `unknown command '${word}'; commands: ${names.join(", ")}`);
  const below = found.length === 1 && meant !== undefined ? group.commands[meant] : undefined;
  const isGroup = below !== undefined && first.at(-1) === meant && "commands" in (await opened(below));
  const shown = found.map((one) => `'${one.join(" ")}'`).join(" or ");
  const fix = isGroup ? helpOf(first) : ["conduct", ...first].join(" ");
  return wrong(path, "UNKNOWN_COMMAND", `unknown command '${word}': did you mean ${shown}?`, fix);
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

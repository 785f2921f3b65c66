import { type ArgDef, type ArgsDef, type Arguments, type Below, type Command, flag, type Group } from "./command.ts";

/** A parsed command line. `path` is the part of the command that was recognised. */
type CommandLine =
  | { readonly kind: "run"; readonly path: readonly string[]; readonly command: Command; readonly args: Arguments }
  | { readonly kind: "help"; readonly path: readonly string[]; readonly node: Command | Group }
  | { readonly kind: "version"; readonly path: readonly string[] }
  | WrongLine;

export type WrongLine = {
  readonly kind: "wrong";
  readonly path: readonly string[];
  readonly code: "UNKNOWN_COMMAND" | "UNKNOWN_OPTION" | "BAD_ARGUMENT" | "EXTRA_ARGUMENT";
  readonly message: string;
  readonly fix: string;
};

const HELP = ["--help", "-h"];
const VERSION = ["--version", "-v"];

export const COMMON_ARGS = {
  json: flag("Print one JSON envelope"),
  pager: flag("Print long output at once, without a pager"),
  help: { ...flag("Show this help"), alias: "h" },
};

/** Determined before parsing, so that parse errors are JSON too. */
export function wantsJson(argv: readonly string[]): boolean {
  return optionsOf(argv).includes("--json");
}

export function wantsPager(argv: readonly string[]): boolean {
  return !optionsOf(argv).includes("--no-pager");
}

/** Parses without running anything, and loads only the named commands. */
export async function parseCommandLine(given: readonly string[], root: Group): Promise<CommandLine> {
  const [first = "", ...words] = given;
  // `conduct help watch` and `conduct version`, as in many programs.
  const argv = first === "help" ? [...words, "--help"] : first === "version" ? [...words, "--version"] : given;
  const path: string[] = [];
  let node: Command | Group = root;
  let at = 0;
  for (; "commands" in node && at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word.startsWith("-")) continue;
    const below: Below | undefined = Object.hasOwn(node.commands, word) ? node.commands[word] : undefined;
    if (below === undefined) return (await wrongLine()).unknownCommand(path, word, node, root);
    path.push(word);
    node = await opened(below);
  }
  // Options may also precede the command: `conduct --json config check`.
  const rest = [...argv.slice(0, at).filter((word) => word.startsWith("-")), ...argv.slice(at)];
  const options = optionsOf(rest);
  if (options.some((option) => HELP.includes(option))) return { kind: "help", path, node };
  if (path.length === 0 && options.some((option) => VERSION.includes(option))) return { kind: "version", path };
  const defs = "commands" in node ? COMMON_ARGS : { ...node.args, ...COMMON_ARGS };
  const known = Object.entries(defs).flatMap(([name, def]) => spellingsOf(name, def));
  const strange = options.find((option) => !known.includes(option));
  if (strange !== undefined) return (await wrongLine()).unknownOption(path, strange, known);
  if (!("commands" in node)) return parseRest(path, node, defs, rest);
  return { kind: "help", path, node };
}

function parseRest(
  path: readonly string[],
  command: Command,
  defs: ArgsDef,
  rest: readonly string[],
): CommandLine | Promise<CommandLine> {
  const parsed = parseArguments(rest, defs);
  if ("wrong" in parsed) return wrongLine().then(({ badArgument }) => badArgument(path, parsed.wrong));
  const { args, extra } = parsed;
  if (extra === undefined) return { kind: "run", path, command, args };
  const places = Object.values(defs).filter(isPlaced).length;
  return wrongLine().then(({ extraArgument }) => extraArgument(path, extra, places));
}

export async function opened(below: Below): Promise<Command | Group> {
  return typeof below === "function" ? below() : below;
}

/** Loaded only for an invalid command line. */
function wrongLine() {
  return import("./help.ts");
}

/** Option names without values, up to a lone `--`. */
function optionsOf(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  return words.filter((word) => /^-[^\d]/.test(word)).map((word) => word.split("=")[0] ?? word);
}

/**
 * Assigns every argument its value. Unknown options are found before. A value may begin with a dash; after a lone `--`
 * every word is a positional. `extra` is the first word too many.
 */
function parseArguments(
  given: readonly string[],
  defs: ArgsDef,
): { readonly args: Arguments; readonly extra: string | undefined } | { readonly wrong: string } {
  const args: Record<string, unknown> = Object.create(null);
  const placed: string[] = [];
  for (let at = 0; at < given.length; at++) {
    const word = given[at] ?? "";
    if (word === "--") {
      placed.push(...given.slice(at + 1));
      break;
    }
    const [, spelled = "", value] = /^(--?[^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const [name, def] = Object.entries(defs).find(([key, one]) => spellingsOf(key, one).includes(spelled)) ?? [];
    if (name === undefined || def === undefined) {
      placed.push(word);
    } else if (def.type === "string") {
      const text = value ?? given[++at];
      if (text === undefined) return { wrong: `'--${name}' needs a value` };
      args[name] = text.trim() || undefined;
    } else {
      if (value !== undefined && value !== "true" && value !== "false")
        return { wrong: `'--${name}' is a flag and takes no value` };
      args[name] = (value !== "false") !== (spelled === `--no-${name}`);
    }
  }
  for (const [name, def] of Object.entries(defs).filter(([, one]) => isPlaced(one))) {
    const preset = def.default;
    if (def.type === "words") args[name] = placed.length > 0 ? placed.splice(0) : preset === "" ? [] : [preset];
    else args[name] = preset === undefined ? placed.shift()?.trim() || undefined : (placed.shift() ?? preset);
  }
  return { args, extra: placed[0] };
}

function isPlaced({ type }: ArgDef): boolean {
  return type === "positional" || type === "words";
}

function spellingsOf(name: string, def: ArgDef): readonly string[] {
  if (isPlaced(def)) return [];
  if (def.type === "string") return [`--${name}`];
  return [`--${name}`, def.alias === undefined ? "" : `-${def.alias}`, `--no-${name}`].filter((one) => one !== "");
}

import type { ArgDef, ArgsDef, Arguments, Below, Command, Group } from "./command.ts";

/** What a command line asks for. `path` is the command as far as it was understood. */
type CommandLine =
  | { readonly kind: "run"; readonly path: readonly string[]; readonly command: Command; readonly args: Arguments }
  | { readonly kind: "help"; readonly path: readonly string[]; readonly node: Command | Group }
  | { readonly kind: "version"; readonly path: readonly string[] }
  | WrongLine;

export type WrongLine = {
  readonly kind: "wrong";
  readonly path: readonly string[];
  readonly code: "UNKNOWN_COMMAND" | "MISSING_COMMAND" | "UNKNOWN_OPTION" | "BAD_ARGUMENT" | "EXTRA_ARGUMENT";
  readonly message: string;
  readonly fix: string;
};

const HELP = ["--help", "-h"];
const VERSION = ["--version", "-v"];

/** Options that every command takes. */
export const COMMON_ARGS: ArgsDef = {
  json: { type: "boolean", description: "Answer with one JSON envelope" },
  help: { type: "boolean", alias: "h", description: "Show this help" },
};

/** Known before the command line is understood, so that its faults come in the right form too. */
export function wantsJson(argv: readonly string[]): boolean {
  return optionsOf(argv).includes("--json");
}

/** Nothing is run, and no more of the commands is loaded than those that are named. */
export async function parseCommandLine(argv: readonly string[], root: Group): Promise<CommandLine> {
  const path: string[] = [];
  let node: Command | Group = root;
  let at = 0;
  for (; "commands" in node && at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word.startsWith("-")) continue;
    const below: Below | undefined = Object.hasOwn(node.commands, word) ? node.commands[word] : undefined;
    if (below === undefined) return (await wrongLine()).unknownCommand(path, word, node);
    path.push(word);
    node = await opened(below);
  }
  // Options may also stand before the command: `conduct --json config check`.
  const rest = [...argv.slice(0, at).filter((word) => word.startsWith("-")), ...argv.slice(at)];
  const options = optionsOf(rest);
  if (options.some((option) => HELP.includes(option))) return { kind: "help", path, node };
  if (path.length === 0 && options.some((option) => VERSION.includes(option))) return { kind: "version", path };
  const defs = "commands" in node ? COMMON_ARGS : { ...node.args, ...COMMON_ARGS };
  const known = Object.entries(defs).flatMap(([name, def]) => spellingsOf(name, def));
  const strange = options.find((option) => !known.includes(option));
  if (strange !== undefined) return (await wrongLine()).unknownOption(path, strange, known);
  if (!("commands" in node)) return parseRest(path, node, defs, rest);
  if (path.length === 0) return { kind: "help", path, node };
  return (await wrongLine()).missingCommand(path, node);
}

function parseRest(
  path: readonly string[],
  command: Command,
  defs: ArgsDef,
  rest: readonly string[],
): CommandLine | Promise<CommandLine> {
  const args = parseArguments(rest, defs);
  if (typeof args === "string") return wrongLine().then(({ badArgument }) => badArgument(path, args));
  const places = Object.values(defs).filter(({ type }) => type === "positional").length;
  const extra = Array.isArray(args._) ? args._[places] : undefined;
  if (extra === undefined || command.many) return { kind: "run", path, command, args };
  return wrongLine().then(({ extraArgument }) => extraArgument(path, String(extra), places));
}

/** The command or group itself. */
export async function opened(below: Below): Promise<Command | Group> {
  return typeof below === "function" ? below() : below;
}

/** What only a line needs that is not understood. */
function wrongLine() {
  return import("./wrong-line.ts");
}

/** Without their values, up to a lone `--`. */
function optionsOf(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  return words.filter((word) => /^-[^\d]/.test(word)).map((word) => word.split("=")[0] ?? word);
}

/**
 * The words of a command as values by name, positionals also in `_`; a text when they cannot be meant so. Options that nobody knows
 * are found before. A value may begin with a dash; after a lone `--` every word is a positional.
 */
function parseArguments(words: readonly string[], defs: ArgsDef): Arguments | string {
  const args: Record<string, unknown> = Object.create(null);
  const positionals: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") {
      positionals.push(...words.slice(at + 1));
      break;
    }
    const option = readOption(word, defs);
    if (option === undefined) {
      positionals.push(word);
      continue;
    }
    const { name, type, negated, given } = option;
    if (type === "string") {
      const value = given ?? words[++at];
      if (value === undefined) return `'--${name}' needs a value`;
      args[name] = value;
    } else {
      if (given !== undefined && given !== "true" && given !== "false")
        return `'--${name}' is yes or no, without a value`;
      args[name] = (given !== "false") !== negated;
    }
  }
  const left = [...positionals];
  for (const [name, def] of Object.entries(defs)) {
    if (def.type === "positional") args[name] = left.shift() ?? def.default;
  }
  return { ...args, _: positionals };
}

type Option = {
  readonly name: string;
  readonly type: Exclude<ArgDef["type"], "positional">;
  readonly negated: boolean;
  readonly given: string | undefined;
};

function readOption(word: string, defs: ArgsDef): Option | undefined {
  const [, spelled = "", given] = /^(--?[^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  for (const [name, def] of Object.entries(defs)) {
    const spellings = spellingsOf(name, def);
    if (def.type !== "positional" && spellings.includes(spelled)) {
      return { name, type: def.type, negated: spelled === `--no-${name}`, given };
    }
  }
  return undefined;
}

/** How an option may be written. */
function spellingsOf(name: string, def: ArgDef): readonly string[] {
  if (def.type === "positional") return [];
  if (def.type === "string") return [`--${name}`];
  return [`--${name}`, ...(def.alias === undefined ? [] : [`-${def.alias}`]), `--no-${name}`];
}

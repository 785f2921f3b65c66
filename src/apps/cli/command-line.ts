import { type ArgsDef, parseArgs } from "citty";
import { nearest } from "../../base/kernel/nearest.ts";
import type { Arguments, Command, Group } from "./command.ts";

/** What a command line asks for. `path` is the command as far as it was understood. */
export type CommandLine =
  | { readonly kind: "run"; readonly path: readonly string[]; readonly command: Command; readonly args: Arguments }
  | { readonly kind: "help"; readonly path: readonly string[]; readonly node: Command | Group }
  | { readonly kind: "version"; readonly path: readonly string[] }
  | {
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

/** Pure: nothing is loaded or run. */
export function parseCommandLine(argv: readonly string[], root: Group): CommandLine {
  const path: string[] = [];
  let node: Command | Group = root;
  let at = 0;
  for (; "commands" in node && at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word.startsWith("-")) continue;
    const below: Command | Group | undefined = Object.hasOwn(node.commands, word) ? node.commands[word] : undefined;
    if (below === undefined) return unknownCommand(path, word, node);
    path.push(word);
    node = below;
  }
  // Options may also stand before the command: `conduct --json config check`.
  const rest = [...argv.slice(0, at).filter((word) => word.startsWith("-")), ...argv.slice(at)];
  const options = optionsOf(rest);
  if (options.some((option) => HELP.includes(option))) return { kind: "help", path, node };
  if (path.length === 0 && options.some((option) => VERSION.includes(option))) return { kind: "version", path };
  if (!("commands" in node)) return parseRest(path, node, rest);
  const strange = unknownOption(path, {}, options);
  if (strange !== undefined) return strange;
  if (path.length === 0) return { kind: "help", path, node };
  const names = Object.keys(node.commands);
  const message = `'conduct ${path.join(" ")}' needs a command: ${names.join(", ")}`;
  return { kind: "wrong", path, code: "MISSING_COMMAND", message, fix: `conduct ${[...path, names[0]].join(" ")}` };
}

function parseRest(path: readonly string[], command: Command, rest: readonly string[]): CommandLine {
  const defs = { ...command.args, ...COMMON_ARGS };
  const strange = unknownOption(path, defs, optionsOf(rest));
  if (strange !== undefined) return strange;
  const positionals = Object.values(defs).filter(({ type }) => type === "positional").length;
  try {
    const args = parseArgs([...rest], defs);
    const extra = args._[positionals];
    if (extra === undefined || command.many) return { kind: "run", path, command, args };
    const message = `'conduct ${path.join(" ")}' takes ${positionals === 0 ? "no arguments" : "no further argument"}: '${extra}'`;
    return { kind: "wrong", path, code: "EXTRA_ARGUMENT", message, fix: helpOf(path) };
  } catch (error) {
    const message = error instanceof Error ? error.message : "the arguments cannot be read";
    return { kind: "wrong", path, code: "BAD_ARGUMENT", message, fix: helpOf(path) };
  }
}

function unknownCommand(path: readonly string[], word: string, group: Group): CommandLine {
  const names = Object.keys(group.commands);
  const meant = nearest(word, names);
  const found = meant === undefined ? undefined : group.commands[meant];
  const fix =
    meant === undefined || found === undefined
      ? helpOf(path)
      : "commands" in found
        ? helpOf([...path, meant])
        : `conduct ${[...path, meant].join(" ")}`;
  const hint = meant === undefined ? `; there are: ${names.join(", ")}` : `: did you mean '${meant}'?`;
  return { kind: "wrong", path, code: "UNKNOWN_COMMAND", message: `unknown command '${word}'${hint}`, fix };
}

function unknownOption(path: readonly string[], defs: ArgsDef, options: readonly string[]): CommandLine | undefined {
  const all = { ...defs, ...COMMON_ARGS };
  const known = Object.entries(all).flatMap(([name, def]) => {
    if (def.type === "positional") return [];
    const short = "alias" in def ? [def.alias ?? []].flat().map((letter) => `-${letter}`) : [];
    return [`--${name}`, `--no-${name}`, ...short];
  });
  const strange = options.find((option) => !known.includes(option));
  if (strange === undefined) return undefined;
  const meant = nearest(
    strange,
    known.filter((option) => !option.startsWith("--no-")),
  );
  const hint = meant === undefined ? "" : `: did you mean '${meant}'?`;
  return {
    kind: "wrong",
    path,
    code: "UNKNOWN_OPTION",
    message: `unknown option '${strange}'${hint}`,
    fix: helpOf(path),
  };
}

/** Without their values, up to a lone `--`. */
function optionsOf(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  return words.filter((word) => /^-[^\d]/.test(word)).map((word) => word.split("=")[0] ?? word);
}

function helpOf(path: readonly string[]): string {
  return ["conduct", ...path, "--help"].join(" ");
}

import type { PathAccess } from "../../base/words/call.ts";
import { parseShellLine } from "./shell-line.ts";

/** What a command line does to files, as far as it can be seen. */
export type ShellAccess = {
  readonly paths: readonly PathAccess[];
  /** Gates, generously. */
  readonly actions: readonly string[];
  /** What an ok outcome establishes, strictly. */
  readonly proves: readonly string[];
};

/** Not files: what goes there is written nowhere. */
const SINKS = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/;

/**
 * A plain `cat`, `nl`, `head`, `tail` or `sed -n Np` is a read: some runtimes have no other. Part of a file counts as read, as
 * `read_file` with an offset does. Every redirection into a file is a write.
 */
export function shellAccess(command: string): ShellAccess {
  const line = parseShellLine(command);
  const reads = line.simple ? (readFiles(line.commands[0] ?? []) ?? []) : [];
  const redirected = line.redirects
    .filter(({ target, access }) => access === "write" && !SINKS.test(target))
    .map(({ target }) => target);
  const writes = [...new Set(redirected)];
  const read = reads.length > 0 ? ["read_file"] : [];
  const write = writes.length > 0 ? ["write_file"] : [];
  return {
    paths: [
      ...reads.map((path) => ({ path, access: "read" as const })),
      ...writes.map((path) => ({ path, access: "write" as const })),
    ],
    actions: [...read, ...write],
    // What is read into a file is not seen by the agent.
    proves: line.simple ? (write.length > 0 ? write : read) : [],
  };
}

/** The files that the command shows, or `undefined` when it is no plain read. */
function readFiles([program = "", ...words]: readonly string[]): readonly string[] | undefined {
  switch (program) {
    case "cat":
      return operands(words, /^-[AbeEnstTuv]+$/);
    case "nl":
      return operands(words, /^-b[at]?$|^[at]$/);
    case "head":
      return operands(joinCount(words), /^-(?:[nc])?[1-9]\d*$/);
    case "tail":
      return operands(joinCount(words), /^-(?:[nc]\+?)?[1-9]\d*$/);
    case "sed": {
      const [quiet, script = "", ...files] = words;
      return quiet === "-n" && /^[1-9]\d*(?:,(?:[1-9]\d*|\$))?p$/.test(script) ? operands(files, /^$/) : undefined;
    }
    default:
      return undefined;
  }
}

/** `-n 20` as `-n20`, so that every option is one word. */
function joinCount(words: readonly string[]): readonly string[] {
  const [first, second, ...rest] = words;
  return first !== undefined && second !== undefined && /^-[nc]$/.test(first) ? [`${first}${second}`, ...rest] : words;
}

function operands(words: readonly string[], option: RegExp): readonly string[] | undefined {
  const options = words.findIndex((word) => !option.test(word));
  const files = options < 0 ? [] : words.slice(options);
  // What the shell would still change (`*`, `$x`) or what is no file (`-`) is not known to be read.
  return files.length > 0 && files.every((file) => !/^-|[*?[$]/.test(file)) ? files : undefined;
}

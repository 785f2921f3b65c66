import type { Access, PathAccess } from "../../../base/words/call.ts";
import { inFolder, leaves } from "../shell/folders.ts";
import { parseShellLine, type ShellLine, type ShellRun, wordsOf } from "../shell/shell-line.ts";
import type { ShellRedirect } from "../shell/shell-script.ts";
import { isLiteral, knownPrefix, literalWord, pathText, type ShellWord } from "../shell/shell-word.ts";
import { type Operand, operandsOf } from "./operands.ts";
import { pathWords } from "./path-words.ts";
import { isToolFile } from "./tool-files.ts";

/** What a command line does to files, as far as it can be seen. */
export type ShellAccess = {
  readonly paths: readonly PathAccess[];
  /** What it does to files whose names cannot be told. */
  readonly unclear: readonly Access[];
  /** Gates, generously. */
  readonly actions: readonly string[];
  /** What an ok outcome establishes, strictly. */
  readonly proves: readonly string[];
};

/** Not files: what goes there is written nowhere, and what comes from there is nobody's. */
const SINKS = /^\/dev\/(?:null|zero|full|random|urandom|stdin|stdout|stderr|tty|fd\/\d+)$/;

/** What a line that cannot be read would need to write a file. */
const MAY_WRITE = />|\b(?:tee|sponge|truncate|shred|cp|mv|ln|install|rsync|dd|sed|gsed|perl|sort|curl|wget)\b/;

/**
 * Gates generously: every redirection, every file that a common command names, and every word that leads out of the folder.
 * Proves strictly: a plain `cat`, `nl`, `head`, `tail` or `sed -n Np` whose output is shown is a read (part of a file counts,
 * as `read_file` with an offset does), a plain command with `>` a write.
 */
export function shellAccess(command: string): ShellAccess {
  const line = parseShellLine(command);
  const access = known.get(line) ?? readAccess(line, command);
  known.set(line, access);
  return access;
}

/** Agents repeat commands, and a parsed line is shared by all its readers. */
const known = new WeakMap<ShellLine, ShellAccess>();

function readAccess(line: ShellLine, command: string): ShellAccess {
  const found = new Found();
  for (const run of line.runs) found.addRun(run, run === line.runs.at(-1));
  if (!line.parsed) {
    found.unclear.add("read");
    if (MAY_WRITE.test(command)) found.unclear.add("write");
  }
  const paths = found.paths();
  const written = found.unclear.has("write") || paths.some(({ access }) => access === "write");
  const actions = [
    ...(found.shown ? ["read_file"] : []),
    ...(written ? ["write_file"] : []),
    ...(found.edits ? ["edit_file"] : []),
  ];
  const [only] = line.runs;
  return { paths, unclear: [...found.unclear], actions, proves: line.simple ? provenBy(only, found) : [] };
}

/** What is read into a file is not seen by the agent; what a copy wrote was not either. */
function provenBy(run: ShellRun | undefined, { redirected, copied, unclear }: Found): readonly string[] {
  if (run === undefined || copied || unclear.has("write")) return [];
  if (redirected) return ["write_file"];
  const hidden = run.redirects.some((redirect) => takesOutput(redirect) || redirectAccess(redirect) === "read");
  return hidden || shownFiles(run.words) === undefined ? [] : ["read_file"];
}

class Found {
  readonly unclear = new Set<Access>();
  shown = false;
  edits = false;
  redirected = false;
  copied = false;
  readonly #paths = new Map<string, PathAccess>();

  paths(): readonly PathAccess[] {
    const all = [...this.#paths.values()];
    return [...all.filter(({ access }) => access === "read"), ...all.filter(({ access }) => access !== "read")];
  }

  /** A link's target is only a text in it. It is looked up when the link is used, but not if this line uses it. */
  addRun(run: ShellRun, isLast: boolean): void {
    if (run.remote) return;
    const links = isLast ? linkTargets(run) : [];
    for (const redirect of run.redirects) {
      const access = redirectAccess(redirect);
      if (access !== undefined) this.#add(run, { word: redirect.target, access });
      if (access === "write" && !isSink(redirect.target)) this.redirected = true;
    }
    const { spans, remote, more } = run.inside;
    if (!remote) {
      for (const span of spans) {
        const words = wordsOf(run, span);
        const shown = shownFiles(words);
        if (shown !== undefined) this.shown = true;
        for (const operand of shown?.map((word) => ({ word, access: "read" as const })) ?? operandsOf(words, more)) {
          if (operand.access === "write") this.copied = true;
          if (!links.includes(operand.word)) this.#add(run, operand);
        }
      }
    }
    for (const word of pathWords(run)) if (!links.includes(word)) this.#addFixed(run, word);
  }

  #add(run: ShellRun, { word, access, edits, maybe }: Operand): void {
    if (isSink(word) || word.text.length === 0 || !isName(word.text)) return;
    if (edits) this.edits = true;
    if (!isLiteral(word) || word.text.includes("{}")) {
      this.unclear.add(access);
      this.#addFixed(run, word);
      return;
    }
    this.#keep(run, pathText(word), access, maybe);
  }

  /** As much of a name as is certain: what a pattern stands for lies below the folder in front of it. */
  #addFixed(run: ShellRun, word: ShellWord): void {
    const known = knownPrefix(word);
    const folder = known.slice(0, known.lastIndexOf("/") + 1);
    const certain =
      isLiteral(word) || (!word.text.includes("$") && /(?:^|\/)\.\.(?:\/|$)/.test(word.text.slice(known.length)));
    const text = pathText({ ...word, text: certain ? word.text : folder });
    if (text === "" || isSink(word) || !isName(text)) return;
    this.#keep(run, text, "read", true);
  }

  #keep(run: ShellRun, text: string, access: Access, maybe: true | undefined): void {
    const paths = run.folders.map((folder) => inFolder(folder, text));
    // `cd web; …; cd ..; ls` reads outside only if `web` is missing.
    const isBack = access === "read" && paths.length > 1 && paths.some((path) => path !== undefined && !leaves(path));
    for (const path of paths) {
      if (path === undefined) this.unclear.add(access);
      else if (isToolFile(path) || (isBack && leaves(path))) continue;
      else if (access !== "read" || !isSystem(path)) {
        const key = `${access} ${path}`;
        // What is certain stays so.
        if (!maybe) this.#paths.set(key, { path, access });
        else if (!this.#paths.has(key)) this.#paths.set(key, { path, access, maybe });
      }
    }
  }
}

/** What `ln -s` links to. */
function linkTargets({ words }: ShellRun): readonly ShellWord[] {
  const [program, ...rest] = words;
  if (program?.text !== "ln" || !rest.some(({ text }) => /^-[a-zA-Z]*s|^--symbolic$/.test(text))) return [];
  const operands = rest.filter(({ text }) => !text.startsWith("-"));
  return operands.length === 2 && operands.every(isLiteral) ? operands.slice(0, 1) : [];
}

/** `undefined` for another descriptor and for text on the line itself. */
export function redirectAccess({ operator, target }: ShellRedirect): Access | undefined {
  if (operator.startsWith("<<")) return undefined;
  if (operator.endsWith("&") && isLiteral(target) && /^\d*-?$/.test(target.text)) return undefined;
  return /^<&?$/.test(operator) ? "read" : "write";
}

/** Returns whether a redirection hides what the command writes to its standard output. */
function takesOutput({ operator, descriptor }: ShellRedirect): boolean {
  return operator.includes(">") && !/^(?:0|[2-9]|\d\d+)$/.test(descriptor);
}

function isSink(word: ShellWord): boolean {
  return isLiteral(word) && SINKS.test(word.text);
}

/** Can a file have this name at all? The system refuses longer ones. */
function isName(text: string): boolean {
  if (text.length <= 80) return true;
  return text.length <= 4_096 && text.split("/").every((part) => new TextEncoder().encode(part).length <= 255);
}

/** What every program may read, and no secret is in: the system's own programs, libraries and facts. */
function isSystem(path: string): boolean {
  if (/(?:^|\/)\.\.(?:\/|$)/.test(path)) return false;
  return (
    /^\/(?:usr|bin|sbin|lib|lib32|lib64|opt|nix\/store)(?:\/|$)/.test(path) ||
    /^\/proc\/(?:cpuinfo|meminfo|version|loadavg|uptime)$/.test(path) ||
    /^\/etc\/(?:[a-z]+-release|hosts|timezone|localtime|shells|resolv\.conf)$/.test(path)
  );
}

/** The files that a plain command shows, or `undefined` when it is no plain read. */
function shownFiles([program, ...rest]: readonly ShellWord[]): readonly ShellWord[] | undefined {
  switch (program?.text) {
    case "cat":
      return operands(rest, /^-[AbeEnstTuv]+$/);
    case "nl":
      return operands(rest, /^-b[at]?$|^[at]$/);
    case "head":
      return operands(joinCount(rest), /^-(?:[nc])?[1-9]\d*$/);
    case "tail":
      return operands(joinCount(rest), /^-(?:[nc]\+?)?[1-9]\d*$/);
    case "sed": {
      const [quiet, script, ...files] = rest;
      const prints = /^[1-9]\d*(?:,(?:[1-9]\d*|\$))?p$/.test(script?.text ?? "");
      return quiet?.text === "-n" && prints ? operands(files, /^$/) : undefined;
    }
    default:
      return undefined;
  }
}

/** `-n 20` as `-n20`, so that every option is one word. */
function joinCount(words: readonly ShellWord[]): readonly ShellWord[] {
  const [first, second, ...rest] = words;
  if (first === undefined || second === undefined || !/^-[nc]$/.test(first.text)) return words;
  return [literalWord(`${first.text}${second.text}`), ...rest];
}

function operands(words: readonly ShellWord[], option: RegExp): readonly ShellWord[] | undefined {
  const options = words.findIndex(({ text }) => !option.test(text));
  const files = options < 0 ? [] : words.slice(options);
  // What the shell would still change (`*`, `$x`) or what is no file (`-`) is not known to be read.
  const told = files.every((file) => isLiteral(file) && !file.text.startsWith("-"));
  return files.length > 0 && told ? files : undefined;
}

import { MAX_LENGTH, ReadBudget, TOO_LONG } from "../command-limits/read-budget.ts";
import { eitherFolder, type Folders, foldersAfter, START } from "./folders.ts";
import { lexShell } from "./lexer.ts";
import { isPlain, type Unwrapped, unwrap } from "./unwrap.ts";
import { baseName, type Dialect, programWord, type Redirect, type Token, type Word } from "./word.ts";

/** One command of a line, with what is known of its surroundings. */
export type ShellRun = {
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  readonly folders: Folders;
  readonly inside: Unwrapped;
  /** Runs on another machine or in a container: its files are not ours. */
  readonly remote: boolean;
};

/** A shell command line, taken apart as far as matching needs it. Nothing is expanded or run. */
export type ShellLine = {
  /** The words of every command on the line, quotes removed; those inside `$(…)`, `sh -c '…'` and behind wrappers too. */
  readonly commands: readonly (readonly string[])[];
  readonly runs: readonly ShellRun[];
  /** One plain command whose exit status is the line's: no list, pipe, substitution, assignment, keyword or wrapper. */
  readonly simple: boolean;
  /** False when quotes or brackets do not close, or a limit was hit: then nothing may be concluded from the words. */
  readonly parsed: boolean;
  /** The limit that the line passes, for people: it was not read, and the call is denied. */
  readonly tooComplex?: string;
  /** Units of work that reading took; see `ReadBudget`. */
  readonly work: number;
};

/** Scripts inside scripts and substitutions deeper than this are not read. */
const MAX_DEPTH = 12;
/** Work for a script or command besides reading its text. */
const PER_SCRIPT = 16;
const END: Token = { kind: "operator", text: ";" };

/** Lines that were read lately: several policies ask about one call, and agents run the same commands again and again. */
const recent = new Map<string, ShellLine>();
const RECENT = 128;
const SHORT = 1_000;
/** The last one, however long. */
let last: { readonly text: string; readonly line: ShellLine } | undefined;

/** Never throws; takes time in proportion to the text. */
export function parseShellLine(text: string): ShellLine {
  if (last?.text !== text) last = { text, line: recent.get(text) ?? remembered(text, readLine(text)) };
  return last.line;
}

function remembered(text: string, line: ShellLine): ShellLine {
  if (text.length > SHORT) return line;
  const [oldest] = recent.keys();
  if (recent.size >= RECENT && oldest !== undefined) recent.delete(oldest);
  recent.set(text, line);
  return line;
}

function readLine(text: string): ShellLine {
  if (text.length > MAX_LENGTH) return unread(TOO_LONG, 0);
  const budget = new ReadBudget(text.length);
  const walk = new Walk(text, budget);
  const { tokens } = walk.script(text.replace(/^[ \t\n]+/, ""), {
    folders: START,
    again: false,
    depth: 0,
    dialect: "bash",
    remote: false,
  });
  const [first] = walk.runs;
  const simple = walk.parsed && first !== undefined && isOneCommand(tokens) && isPlain(first.words, first.inside);
  const commands = walk.runs.flatMap((run) => {
    const { words, inside } = run;
    const spans = inside.spans.filter(
      ({ from, to }) => from > 0 || to < words.length || words[0]?.text !== words[0]?.bare,
    );
    const inner = spans.map((span) => wordsOf(run, span));
    return words.length === 0 ? [] : [words, ...inner].map((list) => list.map(({ text }) => text));
  });
  const { work, passed } = budget;
  return passed === undefined ? { commands, runs: walk.runs, simple, parsed: walk.parsed, work } : unread(passed, work);
}

/** Of a line that was not read to its end nothing is used, so that nothing after it takes time either. */
function unread(tooComplex: string, work: number): ShellLine {
  return { commands: [], runs: [], simple: false, parsed: false, tooComplex, work };
}

/** The words of a program that a command runs, its name first. */
export function wordsOf(
  { words }: ShellRun,
  { from, to }: { readonly from: number; readonly to: number },
): readonly Word[] {
  const program = words[from];
  return program === undefined ? [] : [programWord(program), ...words.slice(from + 1, to)];
}

/** Only what stands at the very end separates nothing. */
function isOneCommand(tokens: readonly Token[]): boolean {
  const last = tokens.findLastIndex(({ kind }) => kind !== "operator");
  return tokens.every((token, i) => {
    if (token.kind === "operator") return i > last && (token.text === ";" || token.text === "\n");
    if (token.kind === "word") return token.word.lists.length === 0;
    return token.redirect.target.lists.length === 0 && token.redirect.body === undefined;
  });
}

/** What may run its commands more than once, as may a function. */
const LOOPS = new Set(["for", "while", "until", "select"]);

type Place = {
  readonly folders: Folders;
  readonly again: boolean;
  readonly depth: number;
  readonly dialect: Dialect;
  readonly remote: boolean;
};

class Walk {
  readonly runs: ShellRun[] = [];
  parsed = true;
  readonly #home: boolean;
  readonly #budget: ReadBudget;

  constructor(text: string, budget: ReadBudget) {
    this.#home = !/(?:^|[^${\w])(?:HOME|PWD)\b/.test(text);
    this.#budget = budget;
  }

  script(text: string, place: Place): { readonly tokens: readonly Token[]; readonly folders: Folders } {
    if (place.depth > MAX_DEPTH || !this.#budget.spend(PER_SCRIPT)) {
      this.parsed = false;
      return { tokens: [], folders: [undefined] };
    }
    const { tokens, parsed } = lexShell(text, place.dialect, this.#home, this.#budget);
    if (!parsed) this.parsed = false;
    return { tokens, folders: this.#list(tokens, place) };
  }

  /** The commands of a list, then those inside them; gives the folders the shell may stand in at its end. */
  #list(tokens: readonly Token[], place: Place): Folders {
    const list = new ListWalk(place);
    const later: (() => void)[] = [];
    for (const token of [...tokens, END]) {
      if (this.#budget.passed !== undefined) break;
      if (token.kind === "word") list.words.push(token.word);
      else if (token.kind === "redirect") list.redirects.push(token.redirect);
      else {
        if (list.words.length > 0 || list.redirects.length > 0) later.push(...this.#command(list, place));
        list.separate(token.text);
      }
    }
    for (const walk of later) {
      if (this.#budget.passed !== undefined) break;
      walk();
    }
    return list.folders;
  }

  /** Notes the command; gives what is still to be walked inside it. Only `eval` changes where the shell stands. */
  #command(list: ListWalk, { depth, dialect, remote }: Place): readonly (() => void)[] {
    const { words, redirects, folders, again } = list;
    const inside = unwrap(words, this.#budget);
    list.leading = words.slice(0, inside.spans[0]?.from ?? words.length).map(({ text }) => text);
    this.runs.push({ words, redirects, folders: inside.moved ? [undefined] : folders, inside, remote });
    const place = { folders, again, depth: depth + 1, dialect, remote };
    const lists = [
      ...[...words, ...redirects.map(({ target }) => target)].flatMap((word) => word.lists),
      ...redirects.flatMap((redirect) => redirect.lists ?? []),
    ];
    const scripts = [...inside.scripts, ...fed(inside, redirects, list.piped)];
    for (const { text, shell } of scripts) if (shell === "eval") list.moveTo(this.script(text, place).folders);
    const others = scripts.filter(({ shell }) => shell !== "eval");
    return [
      ...lists.map((tokens) => () => void this.#list(tokens, place)),
      ...others.map(
        (script) => () =>
          void this.script(script.text, {
            ...place,
            dialect: dialectOf(script.shell),
            remote: remote || inside.remote,
          }),
      ),
    ];
  }
}

function dialectOf(shell: string): Dialect {
  return /^(?:sh|dash|ash)$/.test(shell) ? "posix" : "bash";
}

/** What a shell without a script is given to run: a here-document, a here-string, or what `echo` writes to it. */
function fed(inside: Unwrapped, redirects: readonly Redirect[], piped: readonly Word[]): Unwrapped["scripts"] {
  if (!inside.readsInput) return [];
  const bodies = redirects.flatMap(({ body }) => (body === undefined ? [] : [body]));
  const [program, ...words] = piped;
  if (/^(?:echo|printf)$/.test(baseName(program?.text ?? ""))) {
    bodies.push(words.map(({ text }) => text.replaceAll("\\n", "\n")).join(" "));
  }
  return bodies.map((text) => ({ text, shell: "bash" }));
}

/** One list while it is walked: the command being gathered, and where the shell may stand. */
class ListWalk {
  words: Word[] = [];
  redirects: Redirect[] = [];
  /** The keywords and assignments before the command's program. */
  leading: readonly string[] = [];
  folders: Folders;
  /** May what follows run more than once: a loop or a function has begun. */
  again: boolean;
  /** The command whose output the present one reads. */
  piped: readonly Word[] = [];
  /** Where the shell may stand if the present `&&` chain breaks off. */
  #before: Folders;
  /** After `||` or `|` a later `&&` does not mean that all before it went well. */
  #doubtful = false;
  #patterns = false;
  #functions = false;
  #loops = 0;
  readonly #outer: boolean;
  #last = "";
  readonly #brackets: { folders: Folders; before: Folders; doubtful: boolean }[] = [];

  constructor({ folders, again }: Place) {
    this.folders = folders;
    this.#before = folders;
    this.again = again;
    this.#outer = again;
  }

  moveTo(folders: Folders): void {
    this.folders = this.#doubtful ? eitherFolder(this.folders, folders) : folders;
  }

  separate(operator: string): void {
    const { words } = this;
    this.#noteKeywords(operator);
    const moved = foldersAfter(words, this.folders, this.again);
    if (moved !== this.folders) this.moveTo(moved);
    const empty = words.length === 0 && this.redirects.length === 0;
    // After these a command may begin on the next line.
    if (operator === "\n" && empty && /^(?:&&|\|\|?|\|&)$/.test(this.#last)) return;
    this.words = [];
    this.redirects = [];
    this.leading = [];
    this.piped = /^\|&?$/.test(operator) ? words : [];
    this.#last = operator;
    if (operator === "&&") return;
    if (operator === "(") this.#open();
    else if (operator === ")" && !this.#patterns && this.#brackets.length > 0) this.#close();
    else {
      this.folders = eitherFolder(this.#before, this.folders);
      this.#before = this.folders;
      this.#doubtful = /^\|/.test(operator);
    }
  }

  #noteKeywords(operator: string): void {
    const { words, leading } = this;
    if (leading.includes("case")) this.#patterns = true;
    if (leading.includes("function") || (operator === "(" && words.length > 0)) this.#functions = true;
    this.#loops += leading.filter((text) => LOOPS.has(text)).length;
    if (!this.#patterns) this.#loops -= leading.filter((text) => text === "done").length;
    this.again = this.#outer || this.#functions || this.#loops > 0;
  }

  #open(): void {
    this.#brackets.push({ folders: this.folders, before: this.#before, doubtful: this.#doubtful });
    this.#before = this.folders;
    this.#doubtful = false;
  }

  /** A subshell leaves the folder as it was. */
  #close(): void {
    const outside = this.#brackets.pop();
    if (outside === undefined) return;
    this.folders = outside.folders;
    this.#before = outside.before;
    this.#doubtful = outside.doubtful;
  }
}

/** A shell command line, taken apart as far as matching needs it. Nothing is expanded or run. */
export type ShellLine = {
  /** The words of every command on the line, quotes removed, those inside `$(…)` and `sh -c '…'` too. */
  readonly commands: readonly (readonly string[])[];
  /** Targets of `>`, `>>` and `<`. */
  readonly redirects: readonly { readonly target: string; readonly access: "read" | "write" }[];
  /** One plain command whose exit status is the line's: no list, pipe, substitution, assignment, keyword or wrapper. */
  readonly simple: boolean;
  /** False when quotes or brackets do not close: then nothing may be concluded from the words. */
  readonly parsed: boolean;
};

const KEYWORDS = new Set([
  "if",
  "then",
  "else",
  "elif",
  "fi",
  "for",
  "while",
  "until",
  "do",
  "done",
  "case",
  "esac",
  "function",
  "!",
  "{",
  "}",
  "[[",
]);
const WRAPPERS = new Set([
  "sudo",
  "env",
  "time",
  "nohup",
  "nice",
  "command",
  "exec",
  "builtin",
  "xargs",
  "stdbuf",
  "timeout",
  "eval",
]);
const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ksh"]);
const MAX_DEPTH = 8;

/** Longer lines are not taken apart: they are gated by their raw text and prove nothing. */
const MAX_LENGTH = 65_536;

export function parseShellLine(text: string, depth = 0): ShellLine {
  if (text.length > MAX_LENGTH) return { commands: [], redirects: [], simple: false, parsed: false };
  const lexer = new Lexer(text, depth);
  lexer.run();
  const commands = lexer.commands.flatMap((words) => [words, ...unwrap(words, depth)]);
  const [first] = lexer.commands;
  const simple =
    lexer.parsed && !lexer.compound && lexer.commands.length === 1 && first !== undefined && isPlain(first);
  return { commands: [...commands, ...lexer.nested], redirects: lexer.redirects, simple, parsed: lexer.parsed };
}

/** Runs what it names, itself: no keyword, assignment, wrapper or shell in front that could change what its end means. */
function isPlain(words: readonly string[]): boolean {
  const [first = ""] = words;
  const name = baseName(first);
  return !KEYWORDS.has(first) && !/^\w+=/.test(first) && !WRAPPERS.has(name) && scriptOf(words) === undefined;
}

/** The script of `sh -c SCRIPT`; a shell that runs a file (`sh test.sh`) is a command like any other. */
function scriptOf(words: readonly string[]): string | undefined {
  if (!SHELLS.has(baseName(words[0] ?? ""))) return undefined;
  const flag = words.findIndex((word) => /^-\w*c$/.test(word));
  return flag < 0 ? undefined : words[flag + 1];
}

/** What a wrapper runs: `sudo x`, `env A=1 x`, `bash -c 'x && y'`. Used to gate, never to prove. */
function unwrap(words: readonly string[], depth: number): readonly (readonly string[])[] {
  let at = 0;
  while (KEYWORDS.has(words[at] ?? "") || /^\w+=/.test(words[at] ?? "")) at += 1;
  const rest = words.slice(at);
  const name = baseName(rest[0] ?? "");
  if (depth >= MAX_DEPTH) return [];
  const script = scriptOf(rest);
  if (script !== undefined) return parseShellLine(script, depth + 1).commands;
  if (name === "eval") return parseShellLine(rest.slice(1).join(" "), depth + 1).commands;
  if (WRAPPERS.has(name)) {
    const inner = rest.slice(1).findIndex((word) => !word.startsWith("-") && !/^\w+=/.test(word) && !/^\d/.test(word));
    if (inner >= 0) {
      const wrapped = rest.slice(1 + inner);
      return [wrapped, ...unwrap(wrapped, depth + 1)];
    }
  }
  return at > 0 && rest.length > 0 ? [rest] : [];
}

export function baseName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

class Lexer {
  readonly commands: string[][] = [];
  readonly nested: (readonly string[])[] = [];
  readonly redirects: { target: string; access: "read" | "write" }[] = [];
  compound = false;
  parsed = true;
  readonly #text: string;
  readonly #depth: number;
  #at = 0;
  #words: string[] = [];
  #word: string | undefined;
  #redirect: "read" | "write" | undefined;

  constructor(text: string, depth: number) {
    this.#text = text.trim();
    this.#depth = depth;
  }

  run(): void {
    while (this.#at < this.#text.length) this.#step(this.#text[this.#at] ?? "");
    this.#endCommand();
  }

  #step(char: string): void {
    const next = this.#text[this.#at + 1] ?? "";
    if (char === "\\") {
      if (next !== "\n") this.#add(next);
      this.#at += 2;
    } else if (char === "'") this.#single();
    else if (char === '"') this.#double();
    else if (char === "`") this.#substitution("`", this.#at + 1);
    else if (char === "$" && next === "(") this.#substitution(")", this.#at + 2);
    else if (char === "#" && this.#word === undefined) this.#skipComment();
    else if (char === "\n" || char === ";" || char === "|" || char === "&" || char === "(" || char === ")")
      this.#operator(char, next);
    else if (char === ">" || char === "<") this.#redirection(char, next);
    else if (/\s/.test(char)) {
      this.#endWord();
      this.#at += 1;
    } else {
      this.#add(char);
      this.#at += 1;
    }
  }

  #single(): void {
    const end = this.#text.indexOf("'", this.#at + 1);
    if (end < 0) {
      this.#broken();
      return;
    }
    this.#add(this.#text.slice(this.#at + 1, end));
    this.#at = end + 1;
  }

  #double(): void {
    this.#add("");
    this.#at += 1;
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] ?? "";
      const next = this.#text[this.#at + 1] ?? "";
      if (char === '"') {
        this.#at += 1;
        return;
      }
      if (char === "\\" && '"\\$`\n'.includes(next)) {
        this.#add(next === "\n" ? "" : next);
        this.#at += 2;
      } else if (char === "`") this.#substitution("`", this.#at + 1);
      else if (char === "$" && next === "(") this.#substitution(")", this.#at + 2);
      else {
        this.#add(char);
        this.#at += 1;
      }
    }
    this.#broken();
  }

  /** The commands inside are gated too; the word keeps a mark that nothing matches by accident. */
  #substitution(close: ")" | "`", from: number): void {
    let depth = 1;
    let end = from;
    for (; end < this.#text.length; end++) {
      const char = this.#text[end];
      if (char === "\\") end += 1;
      else if (close === ")" && char === "(") depth += 1;
      else if (char === close && --depth === 0) break;
    }
    if (end >= this.#text.length) {
      this.#broken();
      return;
    }
    this.compound = true;
    if (this.#depth < MAX_DEPTH) {
      const inner = parseShellLine(this.#text.slice(from, end), this.#depth + 1);
      this.nested.push(...inner.commands);
      this.redirects.push(...inner.redirects);
      if (!inner.parsed) this.parsed = false;
    } else this.parsed = false;
    this.#add("$()");
    this.#at = end + 1;
  }

  #operator(char: string, next: string): void {
    if (char === "&" && next === ">") {
      this.#endWord();
      this.#redirect = "write";
      this.#at += this.#text[this.#at + 2] === ">" ? 3 : 2;
      return;
    }
    // What stands at the very end separates nothing.
    if (this.#at < this.#text.length - 1 || char === "&") this.compound = true;
    this.#endCommand();
    this.#at += 1;
  }

  #redirection(char: string, next: string): void {
    if (this.#word !== undefined && /^\d+$/.test(this.#word)) this.#word = undefined;
    this.#endWord();
    if (next === "&") {
      this.#at += 2;
      while (/[\d-]/.test(this.#text[this.#at] ?? "")) this.#at += 1;
      return;
    }
    if (char === "<" && next === "<") this.compound = true;
    if (next === "(") this.compound = true;
    this.#redirect = char === ">" ? "write" : "read";
    this.#at += next === char || next === "|" ? 2 : 1;
  }

  #skipComment(): void {
    const end = this.#text.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #add(text: string): void {
    this.#word = (this.#word ?? "") + text;
  }

  #endWord(): void {
    if (this.#word === undefined) return;
    if (this.#redirect !== undefined) this.redirects.push({ target: this.#word, access: this.#redirect });
    else this.#words.push(this.#word);
    this.#redirect = undefined;
    this.#word = undefined;
  }

  #endCommand(): void {
    this.#endWord();
    if (this.#words.length > 0) this.commands.push(this.#words);
    this.#words = [];
  }

  #broken(): void {
    this.parsed = false;
    this.#at = this.#text.length;
  }
}

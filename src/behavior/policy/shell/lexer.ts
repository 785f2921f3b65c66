import type { ReadBudget } from "../command-limits/read-budget.ts";
import { closesAsArithmetic, readArithmetic, readExpansion, readQuotes, readSubstitution } from "./expand.ts";
import { readHereDocs } from "./here-doc.ts";
import {
  broken,
  type Dialect,
  isLiteral,
  literalWord,
  type Reader,
  type Redirect,
  type Token,
  type Word,
  WordBuilder,
} from "./word.ts";

/** The reserved words after which another may stand. */
const BEFORE_COMMAND = new Set(["if", "then", "else", "elif", "while", "until", "do", "!", "{", "time", "coproc"]);

/** Nothing here means anything to a shell: most commands are words and blanks. */
const PLAIN = /^[\w@%+:,./ \t-]+$/;
const BLANKS = /[ \t]+/;

/** A text taken apart into words, redirections and operators, in one pass. Never throws. */
export function lexShell(
  text: string,
  dialect: Dialect,
  home: boolean,
  budget: ReadBudget,
): { readonly tokens: readonly Token[]; readonly parsed: boolean } {
  if (!budget.spend(text.length)) return { tokens: [], parsed: false };
  if (PLAIN.test(text)) {
    const tokens = text
      .split(BLANKS)
      .flatMap((one): readonly Token[] => (one === "" ? [] : [{ kind: "word", word: literalWord(one) }]));
    return { tokens, parsed: true };
  }
  const list = (reader: Reader, close: "" | ")") => new ListReader(reader, close).read();
  const reader: Reader = { text, dialect, home, budget, at: 0, depth: 0, parsed: true, heres: [], list };
  const tokens = list(reader, "");
  return { tokens, parsed: reader.parsed && reader.heres.length === 0 };
}

class ListReader {
  readonly #reader: Reader;
  readonly #close: "" | ")";
  readonly #tokens: Token[] = [];
  #word: WordBuilder | undefined;
  #redirect: { readonly operator: string; readonly fd: string } | undefined;
  /** May the next word be a reserved one? */
  #position = true;
  /** Inside `[[ … ]]`, where `<` and `>` compare. */
  #test = false;
  /** After `&>`, which in a plain shell ends a command and begins another. */
  #merged = false;

  constructor(reader: Reader, close: "" | ")") {
    this.#reader = reader;
    this.#close = close;
  }

  read(): readonly Token[] {
    const reader = this.#reader;
    let open = 0;
    while (reader.at < reader.text.length) {
      const char = reader.text[reader.at] ?? "";
      if (char === "(" && !this.#test) open += 1;
      if (char === ")" && !this.#test && --open < 0 && this.#close === ")") {
        this.#end();
        reader.at += 1;
        return this.#tokens;
      }
      this.#step(char, reader.text[reader.at + 1] ?? "");
    }
    this.#end();
    if (this.#close !== "") reader.parsed = false;
    return this.#tokens;
  }

  #end(): void {
    this.#endWord();
    if (this.#redirect !== undefined || this.#test) this.#reader.parsed = false;
  }

  #step(char: string, next: string): void {
    const reader = this.#reader;
    if (char === "\\") {
      if (next !== "\n") this.#building().add(next, true);
      reader.at += 2;
    } else if (readQuotes(reader, () => this.#building())) return;
    else if (char === "$" && next === '"') reader.at += 1;
    else if ((char === "$" || char === "`") && readExpansion(reader, this.#building())) return;
    else if (char === "#" && this.#word === undefined) this.#skipComment();
    else if (this.#test && "<>()&|\n".includes(char)) this.#compare(char);
    else if (char === "(" && next === "(" && this.#beginsArithmetic()) {
      readArithmetic(reader, this.#building(), reader.at + 2);
    } else if ("\n;|&()".includes(char)) this.#operator(char, next);
    else if (char === ">" || char === "<") this.#redirection(char, next);
    else if (char === " " || char === "\t") {
      this.#endWord();
      reader.at += 1;
    } else {
      if ("*?[".includes(char)) this.#building().addUnknown(char);
      else this.#building().add(char);
      reader.at += 1;
    }
  }

  #beginsArithmetic(): boolean {
    const { dialect, at } = this.#reader;
    if (dialect !== "bash" || this.#word !== undefined) return false;
    const last = this.#tokens.at(-1);
    const loop = last?.kind === "word" && last.word.text === "for";
    return (this.#position || loop) && closesAsArithmetic(this.#reader, at + 2);
  }

  #compare(char: string): void {
    this.#endWord();
    // The `]]` before it may have ended the comparison.
    if (!this.#test) return;
    if (char !== "\n") {
      this.#building().add(char);
      this.#endWord();
    }
    this.#reader.at += 1;
  }

  #operator(char: string, next: string): void {
    const reader = this.#reader;
    this.#endWord();
    if (char === "&" && next === ">" && reader.dialect === "bash") {
      this.#redirect = { operator: "&>", fd: "" };
      this.#merged = true;
      reader.at += reader.text[reader.at + 2] === ">" ? 3 : 2;
      return;
    }
    if (this.#redirect !== undefined || this.#test) reader.parsed = false;
    this.#redirect = undefined;
    this.#test = false;
    const double = char === next && "&|;".includes(char);
    this.#tokens.push({ kind: "operator", text: double ? char + next : char === "|" && next === "&" ? "|&" : char });
    reader.at += double || (char === "|" && next === "&") ? 2 : 1;
    this.#position = true;
    this.#merged = false;
    if (char === "\n" && reader.heres.length > 0) readHereDocs(reader);
  }

  #redirection(char: string, next: string): void {
    const reader = this.#reader;
    if (next === "(") {
      readSubstitution(reader, this.#building(), reader.at + 2, true);
      return;
    }
    const fd = this.#descriptor();
    this.#endWord();
    if (this.#redirect !== undefined) reader.parsed = false;
    const rest = reader.text.slice(reader.at, reader.at + 3);
    const [operator = char] = /^(?:<<<|<<-|<<|<&|<>|>>|>&|>\||<|>)/.exec(rest) ?? [];
    this.#redirect = { operator, fd };
    reader.at += operator.length;
  }

  /** The `2` of `2>` and the `{fd}` of `{fd}>`, which are no words of the command. */
  #descriptor(): string {
    const word = this.#word;
    if (this.#redirect !== undefined || word === undefined || word.quoted || !/^(?:\d+|\{\w+\})$/.test(word.text))
      return "";
    this.#word = undefined;
    return word.text;
  }

  #skipComment(): void {
    const { text, at } = this.#reader;
    const end = text.indexOf("\n", at);
    this.#reader.at = end < 0 ? text.length : end;
  }

  #building(): WordBuilder {
    this.#word ??= new WordBuilder();
    return this.#word;
  }

  #endWord(): void {
    if (this.#word === undefined) return;
    const word = this.#word.finish(this.#reader.home);
    this.#word = undefined;
    if (this.#redirect !== undefined) {
      this.#pushRedirect(this.#redirect, word);
      return;
    }
    this.#tokens.push({ kind: "word", word });
    if (this.#merged) this.#reader.parsed = false;
    const reserved = this.#position && !word.quoted ? word.text : "";
    if (reserved === "[[" && this.#reader.dialect === "bash") this.#test = true;
    if (this.#test && word.text === "]]" && !word.quoted) this.#test = false;
    // Its patterns end in brackets that open nowhere.
    if (reserved === "case" && this.#close === ")") this.#reader.parsed = false;
    this.#position = BEFORE_COMMAND.has(reserved);
  }

  #pushRedirect({ operator, fd }: { readonly operator: string; readonly fd: string }, word: Word): void {
    this.#redirect = undefined;
    // bash 5.2 takes quotes away a second time here.
    const twice = operator === ">&" && word.quoted && !/^[\w./ -]*$/.test(word.text);
    const target = twice ? { ...word, known: 0 } : word;
    this.#position = false;
    const here = operator === "<<" || operator === "<<-";
    const duplicates = operator.endsWith("&") && isLiteral(target) && /^\d*-?$/.test(target.text);
    const access = here || operator === "<<<" || duplicates ? "none" : /^<&?$/.test(operator) ? "read" : "write";
    const output = operator.includes(">") && (fd === "" || fd === "1" || fd.startsWith("{"));
    const redirect: Redirect = { access, target, output, ...(operator === "<<<" ? { body: target.text } : {}) };
    this.#tokens.push({ kind: "redirect", redirect });
    if (!here) return;
    if (target.lists.length > 0) broken(this.#reader);
    this.#reader.heres.push({ redirect, word: target, tabs: operator === "<<-" });
  }
}

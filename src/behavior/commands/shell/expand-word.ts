import { applyOperation } from "./likely-values.ts";
import { expandBraces, literalWord, type ShellWord, unknownWord, WordBuilder } from "./shell-word.ts";
import type { SyntaxNode, Word, WordPart } from "./syntax-tree.ts";

/** A plain POSIX shell has no `[[ … ]]`, no `((…))`, no braces and no `$'…'`. */
export type Dialect = "bash" | "posix";

/** The state of the script that the expansion of a word depends on. */
export type ExpandContext = {
  readonly dialect: Dialect;
  /** False if the line gives `HOME` or `PWD` another value. */
  readonly home: boolean;
  /** The value of a variable, if it is certain. */
  valueOf(name: string): string | undefined;
  /** What separates the words of a value, as far as the line says it. */
  readonly separators: RegExp;
  /** The likely values of a variable, an array or the positional parameters. */
  likelyValues(name: string): readonly string[] | undefined;
  noteLikely(name: string, values: readonly string[] | undefined): void;
  /** Reads the commands in the substitutions below a node. Returns their likely output. */
  readSubstitutions(node: SyntaxNode): string | undefined;
  /** Notes a spelling that shells read in different ways. */
  noteAmbiguous(): void;
};

/** More alternatives and longer words stay unknown. */
const MAX_ALTERNATIVES = 64;
const MAX_PARTS = 100;

/** The words that a command gets for one word of its source; the source of an assignment is always one word. */
export function expandWord(word: Word, context: ExpandContext, mode: "argument" | "value" = "argument"): ShellWord[] {
  const parts = word.parts;
  if (parts === undefined && !word.text.startsWith("~")) {
    const isHome = mode === "argument" && context.home && /^[A-Za-z_]\w*=~(?:\/|$)/.test(word.text);
    return [isHome ? { text: word.value, folder: true } : literalWord(word.value)];
  }
  const bare = [{ type: "Literal", text: word.text, value: word.value, pos: word.pos, end: word.end } as const];
  const [first, ...more] = parts ?? bare;
  if (first?.type === "ProcessSubstitution" && more.length === 0) {
    const content = first.operator === "<" ? context.readSubstitutions(first) : undefined;
    if (first.operator === ">") context.readSubstitutions(first);
    return [{ ...literalWord("/dev/fd/63"), content }];
  }
  // A name can go on behind a brace or on the next line: `$x{1,2}` is `$x1 $x2`.
  const isLonger = (next: WordPart | undefined) => next?.type === "BraceExpansion" || word.text.includes("\\\n");
  const renames = parts?.some(({ type }, i) => type === "SimpleExpansion" && isLonger(parts[i + 1]));
  // In a list of paths every `~` is expanded.
  if ((mode === "value" && word.text.includes(":~")) || renames) {
    for (const part of parts ?? []) context.readSubstitutions(part);
    return [unknownWord(word.text)];
  }
  return alternativesOf(parts ?? bare, context, mode).flatMap((alternative) => {
    const builder = new WordBuilder(word.text);
    let isStart = true;
    for (const part of alternative) {
      if (typeof part === "string") builder.add(part);
      else if (isStart && part.type === "Literal" && part.text.startsWith("~")) {
        addTilde(builder, part.value, alternative.length === 1, context);
      } else addPart(builder, part, context, mode === "value" ? mode : "unquoted");
      isStart &&= part === "";
    }
    if (mode === "value") builder.add("", true);
    builder.end();
    return builder.words;
  });
}

/** Quotes after the `~` would make it a plain name. */
function addTilde(builder: WordBuilder, text: string, alone: boolean, { home }: ExpandContext): void {
  if (!home || (!alone && !text.includes("/"))) builder.addUnknown(text);
  else {
    builder.addFolder("~", "~");
    builder.add(text.slice(1));
  }
}

/** Braces are expanded before everything else. */
function alternativesOf(
  parts: readonly WordPart[],
  { dialect }: ExpandContext,
  mode: "argument" | "value",
): readonly (readonly (WordPart | string)[])[] {
  let alternatives: (WordPart | string)[][] = [[]];
  for (const part of parts) {
    const expands = dialect === "bash" && mode === "argument" && parts.length <= MAX_PARTS;
    const expanded = part.type === "BraceExpansion" && expands ? expandBraces(part.text) : undefined;
    if (expanded !== undefined && expanded.length * alternatives.length <= MAX_ALTERNATIVES) {
      alternatives = alternatives.flatMap((before) => expanded.map((text) => [...before, text]));
    } else for (const before of alternatives) before.push(part);
  }
  return alternatives;
}

/** How the text around a part is read: a value is neither split nor matched against file names. */
type Quoting = "unquoted" | "quoted" | "value";

function addPart(builder: WordBuilder, part: WordPart, context: ExpandContext, quoting: Quoting): void {
  switch (part.type) {
    case "Literal":
      builder.add(part.value, quoting === "quoted");
      return;
    case "SingleQuoted":
      builder.add(part.value, true);
      return;
    case "AnsiCQuoted":
      // A plain shell ends the quotes at the `\'`.
      if (part.text.includes("\\'") || part.value.includes("\0")) context.noteAmbiguous();
      if (context.dialect === "bash") builder.add(part.value, true);
      else builder.addUnknown(part.text);
      return;
    case "DoubleQuoted":
    case "LocaleString": {
      // `"$@"` alone is a word for each parameter, and none without parameters.
      const all = part.parts.length === 1 && part.parts[0]?.text === "$@" ? context.valueOf("@") : undefined;
      if (all !== undefined) {
        builder.addFields(all);
        return;
      }
      builder.add("", true);
      for (const child of part.parts) addPart(builder, child, context, "quoted");
      return;
    }
    case "SimpleExpansion":
      addVariable(builder, part.text.slice(1), part, context, quoting);
      return;
    case "ParameterExpansion": {
      const plain = part.prefix === undefined && part.index === undefined && part.operation === undefined;
      if (plain) addVariable(builder, part.parameter, part, context, quoting);
      else {
        context.readSubstitutions(part);
        const values = parameterValues(part, context);
        builder.addUnknown(part.text, values && fieldsOf(values, quoting, context, isList(part)));
      }
      return;
    }
    case "CommandExpansion": {
      const output = context.readSubstitutions(part)?.replace(/\n+$/, "");
      builder.addUnknown("$()", output === undefined ? undefined : fieldsOf([output], quoting, context));
      return;
    }
    case "ArithmeticExpansion":
    case "ProcessSubstitution":
      context.readSubstitutions(part);
      builder.addUnknown("$()");
      return;
    default:
      context.readSubstitutions(part);
      if (quoting === "value" && /^[\w*?.,{}/-]*$/.test(part.text)) builder.add(part.text);
      else builder.addUnknown(part.text);
  }
}

function addVariable(
  builder: WordBuilder,
  name: string,
  part: WordPart & { readonly text: string },
  context: ExpandContext,
  quoting: Quoting,
): void {
  if ((name === "HOME" || name === "PWD") && context.home) {
    builder.addFolder(name === "HOME" ? "~" : ".", part.text);
    return;
  }
  const value = name === "" || name === "@" ? undefined : context.valueOf(name);
  if (value === undefined || (quoting === "unquoted" && /[*?[\]\\]/.test(value))) {
    context.readSubstitutions(part);
    const likely = name === "" ? undefined : context.likelyValues(name);
    const values = likely === undefined || /^[@*]$|^\d+$/.test(name) ? likely : likely.slice(0, 1);
    builder.addUnknown(part.text, values && fieldsOf(values, quoting, context, name === "@"));
  } else if (quoting === "unquoted") builder.addFields(value);
  else builder.add(value, true);
}

type Parameter = Extract<WordPart, { readonly type: "ParameterExpansion" }>;

function isList({ parameter, index }: Parameter): boolean {
  return parameter === "@" || index?.value === "@";
}

/** `${x:-y}`, `${a[0]}`, `${a[@]:1}`, `${!x}` */
function parameterValues(part: Parameter, context: ExpandContext): readonly string[] | undefined {
  const { parameter, prefix, index, operation } = part;
  if (prefix === "#") return undefined;
  const named = prefix === "!" ? context.likelyValues(parameter)?.[0] : parameter;
  const all = named === undefined ? undefined : context.likelyValues(named);
  const isAll = parameter === "*" || index?.value === "*" || isList(part);
  const key = index?.value ?? "0";
  const one = /^\d+$/.test(key) ? all?.slice(Number(key), Number(key) + 1) : context.likelyValues(`${named}[${key}]`);
  const values = isAll ? all : one;
  if (operation === undefined) return values;
  // The positional parameters count from 1.
  const given = operation.type === "Slice" && isAll && parameter === "@" && values ? ["", ...values] : values;
  const result = applyOperation(given, operation);
  if (operation.type === "Default" && operation.operator.endsWith("=")) context.noteLikely(parameter, result);
  return result;
}

/** An unquoted value is split at blanks; `"$@"` is one word for each value. */
function fieldsOf(
  values: readonly string[],
  quoting: Quoting,
  { separators }: ExpandContext,
  isEach = false,
): readonly string[] {
  if (quoting !== "unquoted") return isEach ? values : [values.join(" ")];
  return values.join(" ").split(separators);
}

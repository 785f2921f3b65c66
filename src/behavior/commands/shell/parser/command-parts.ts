import { type ExpandContext, expandWord } from "../expand-word.ts";
import type { LikelyState } from "../likely-state.ts";
import type { ShellCommand, ShellRedirect } from "../shell-script.ts";
import { literalWord, type ShellWord, unknownWord } from "../shell-word.ts";
import * as syntax from "../syntax-tree.ts";

/** The value of an assignment, and what it likely makes of the variable. */
export function assignedWord(
  { name, value, append = false, index, text }: syntax.Assignment,
  isArgument: boolean,
  context: ExpandContext,
  likely: LikelyState,
): ShellWord {
  const isPlain = value.type === "Word" && index === undefined && !(isArgument && hasBraces(value));
  if (!isPlain) context.readSubstitutions(value);
  const [word = literalWord("")] = isPlain ? expandWord(value, context, "value") : [unknownWord(text)];
  if (value.type === "ArrayValue") {
    const words = value.elements.flatMap((element) => expandWord(element, context));
    likely.setArray(name, words, append);
  } else likely.setValue(name, word, append, index?.value);
  return word;
}

/** Reads a redirection. `source`: the text that the positions of the tree refer to. */
export function readRedirect(node: syntax.Redirection, source: string, context: ExpandContext): ShellRedirect {
  const { descriptor: fd, operator } = node;
  const descriptor = fd === undefined ? "" : fd.type === "FileDescriptor" ? String(fd.value) : fd.name;
  if (node.type === "HereDoc") {
    const { closing, delimiter, body } = node;
    // A delimiter continued after a backslash ends the text in some shells only.
    const ends = closing !== undefined && !source.slice(closing.pos, closing.end).includes("\n");
    if (!ends || delimiter === undefined) context.noteAmbiguous();
    context.readSubstitutions(body);
    return { operator, descriptor, target: literalWord(delimiter?.value ?? ""), body: body.text };
  }
  if (node.target === undefined) return { operator, descriptor, target: unknownWord("") };
  const words = expandWord(node.target, context, operator === "<<<" ? "value" : "argument");
  const { text, value } = node.target;
  // bash 5.2 removes quotes twice after `>&`. Some shells do not expand braces here.
  const isTwice = operator === ">&" && /["'\\]/.test(text) && !/^[\w./ -]*$/.test(value);
  const [only, ...more] = hasBraces(node.target) || isTwice ? [] : words;
  const target = only === undefined || more.length > 0 ? unknownWord(text) : only;
  return { operator, descriptor, target, ...(operator === "<<<" ? { body: target.text } : {}) };
}

/** The text that redirections put on standard input. */
export function inputOf({ redirects }: Pick<ShellCommand, "redirects">): string | undefined {
  const given = redirects.findLast(({ operator }) => operator.startsWith("<"));
  const { body, target } = given ?? {};
  return body === undefined
    ? target?.content
    : given?.operator === "<<<"
      ? `${target?.unknown?.likely?.join(" ") ?? body}\n`
      : body;
}

/** `IFS=,` */
export function separatorsOf(line: string): RegExp {
  const [, mark] = line.includes("IFS=") ? (/\bIFS=["']?([^\s"'$\\])/.exec(line) ?? []) : [];
  return mark === undefined ? /\s+/ : new RegExp(`[\\s${/[\]\\^-]/.test(mark) ? `\\${mark}` : mark}]+`);
}

/** The words of `[[ … ]]`. */
export function testWords(node: syntax.TestCommand | syntax.ArithmeticCommand): readonly syntax.Word[] {
  if (node.type === "ArithmeticCommand") return [];
  const words: syntax.Word[] = [];
  const visit = (child: syntax.SyntaxNode) => {
    if (child.type === "Word") words.push(child);
    else syntax.forEachChild(child, visit);
  };
  syntax.forEachChild(node, visit);
  return words;
}

function hasBraces({ parts }: syntax.Word): boolean {
  return parts?.some(({ type }) => type === "BraceExpansion") ?? false;
}

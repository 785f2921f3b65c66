import type { ParameterOperation } from "./syntax-tree.ts";
import { filterText } from "./text-filters.ts";

/** Likely values are used to gate, never to prove. */
type Values = readonly string[];

/** Longer values and patterns are not followed. */
const MAX_VALUE = 4_000;
const MAX_PATTERN = 40;

/** `${x#y}`, `${x/y/z}`, `${x,,}`, `${a[@]:1}`; `undefined` if the outcome is not known. */
export function applyOperation(values: Values | undefined, operation: ParameterOperation): Values | undefined {
  if (operation.type === "Default") {
    const isSet = values !== undefined && values.join("") !== "";
    const { value } = operation.operand;
    if (operation.operator.endsWith("?")) return values;
    // A variable of the environment may be set.
    if (operation.operator.endsWith("+")) return isSet || values === undefined ? [value] : [];
    return isSet ? values : [value];
  }
  if (values === undefined || !isShort(values, operation)) return undefined;
  switch (operation.type) {
    case "Slice": {
      const from = Number(operation.offset.value);
      const length = operation.length === undefined ? undefined : Number(operation.length.value);
      const to = length === undefined ? undefined : from + length;
      return values.length === 1 ? [(values[0] ?? "").slice(from, to)] : values.slice(Math.max(0, from), to);
    }
    case "CaseModification":
      return values.map((value) => (operation.operator.startsWith(",") ? value.toLowerCase() : value.toUpperCase()));
    case "Remove": {
      const [mark] = operation.operator;
      const pattern = patternOf(operation.operand.value, operation.operator.length === 2);
      const regex = mark === "#" ? new RegExp(`^${pattern}`) : new RegExp(`${pattern}$`);
      return values.map((value) => value.replace(regex, ""));
    }
    case "Replace": {
      const flags = operation.operator === "//" ? "g" : "";
      const regex = new RegExp(patternOf(operation.pattern.value, true), flags);
      return values.map((value) => value.replace(regex, () => operation.replacement.value));
    }
    default:
      return undefined;
  }
}

/** Patterns with several stars take time that grows with a power of the value's length. */
function isShort(values: Values, operation: ParameterOperation): boolean {
  const pattern =
    operation.type === "Remove" ? operation.operand.value : operation.type === "Replace" ? operation.pattern.value : "";
  return values.join("").length <= MAX_VALUE && pattern.length <= MAX_PATTERN && pattern.split("*").length <= 2;
}

function patternOf(glob: string, greedy: boolean): string {
  const escaped = glob.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  return escaped.replaceAll("*", greedy ? ".*" : ".*?").replaceAll("?", ".");
}

/** A command's likely output, if the line says it. `input`: what it reads; `contents`: the text of files it names. */
export function likelyOutput(
  words: Values,
  input: string | undefined,
  contents: readonly string[],
): string | undefined {
  const [path = "", ...rest] = words;
  const program = path.slice(path.lastIndexOf("/") + 1);
  const operands = rest.filter((word) => !/^-./.test(word));
  switch (program) {
    case "":
    case "true":
    case ":":
    case "cd":
    case "set":
      return "";
    case "echo": {
      const [option = ""] = rest;
      const isOption = /^-[neE]+$/.test(option);
      const text = (isOption ? rest.slice(1) : rest).join(" ");
      return `${unescaped(text)}${isOption && option.includes("n") ? "" : "\n"}`;
    }
    case "printf":
      return formatted(rest[0] === "--" ? rest.slice(1) : rest);
    case "cat":
      return contents.length > 0 ? contents.join("\n") : (input ?? undefined);
    case "mktemp":
      return `/tmp/${operands.at(-1) ?? "mktemp"}`;
    case "basename":
      return operands[0]?.slice(operands[0].lastIndexOf("/") + 1);
    case "dirname":
      return operands[0]?.replace(/\/[^/]*$/, "");
    case "which":
    case "ls":
      return operands.length === 0 ? undefined : operands.join("\n");
    case "command":
    case "type":
      return /^-[vVpP]$/.test(rest[0] ?? "") ? operands.join("\n") : undefined;
    case "find": {
      const names = rest.filter((_word, i) => /^-i?(?:name|path)$/.test(rest[i - 1] ?? ""));
      return names.length === 0 ? undefined : names.join("\n");
    }
    case "grep":
    case "rg":
      if (operands.length > 1 && rest.some((word) => /^-[a-zA-Z]*l|^--files-with-matches$/.test(word)))
        return operands
          .slice(1)
          .map((name) => (/\.\w+$/.test(name) ? name : `${name.replace(/\/+$/, "")}/*`))
          .join("\n");
      return filtered(program, input, contents, rest);
    case "git":
      // `tar` says what becomes of it.
      if (rest[0] === "archive") return "git archive";
      if (rest[0] === "rev-parse") return repositoryPath(rest.slice(1));
      return rest[0] === "ls-files" && operands.length > 1 ? operands.slice(1).join("\n") : undefined;
    case "busybox":
      return likelyOutput(rest, input, contents);
    case "jq":
    case "yq":
      return filteredText(operands[0] ?? "");
    case "perl":
    case "python":
    case "python3":
    case "ruby":
    case "node":
    case "php":
      return printedTexts(rest.filter((_word, i) => /^-\w*[ecr]$/.test(rest[i - 1] ?? "")).join("\n"));
    default:
      return filtered(program, input, contents, rest);
  }
}

function filtered(program: string, input: string | undefined, contents: Values, rest: Values): string | undefined {
  const text = contents.length > 0 ? contents.join("\n") : input;
  return text === undefined ? undefined : filterText(program, text, rest);
}

/** `git rev-parse --git-path hooks` */
function repositoryPath([option, path]: Values): string | undefined {
  switch (option) {
    case "--show-toplevel":
      return ".";
    case "--git-dir":
    case "--git-common-dir":
    case "--absolute-git-dir":
      return ".git";
    case "--git-path":
      return `.git/${path ?? ""}`;
    default:
      return undefined;
  }
}

/** What a filter of `jq` prints or adds. */
function filteredText(filter: string): string | undefined {
  const [, text] = /^\s*"([^"]*)"\s*$/.exec(filter) ?? [];
  return text ?? (/[^=!<>]=[^=]/.test(filter) ? filter : undefined);
}

/** The texts that code prints. */
function printedTexts(code: string): string | undefined {
  if (/https?:|open|read|fetch|import\(/.test(code) || !/\b(?:print\w*|puts|echo|write|say|log)\b/.test(code))
    return undefined;
  const texts = [...code.matchAll(/"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'/g)];
  return texts.length === 0
    ? undefined
    : texts.map(([, double, single]) => unescaped(double ?? single ?? "")).join("\n");
}

function unescaped(text: string): string {
  return text.replace(/\\(?:x([\da-f]{1,2})|0?([0-7]{3})|([nt0\\]))/gi, (_all, hex, octal, letter: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return octal === undefined ? (ESCAPES[letter] ?? "") : String.fromCharCode(Number.parseInt(octal, 8));
  });
}
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", "0": "\0", "\\": "\\" };

/** `printf` with `%s`, `%b`, `%q` and `%d`. The format is used again until no argument is left. */
function formatted([format = "", ...values]: Values): string | undefined {
  if (format === "-v") return "";
  let left = [...values];
  let text = "";
  do {
    const before = left.length;
    text += unescaped(format).replace(/%(?:%|[-\d.]*[a-zA-Z])/g, (mark) => {
      if (mark === "%%") return "%";
      const [value = "", ...more] = left;
      left = more;
      return mark.endsWith("b") ? unescaped(value) : value;
    });
    if (left.length === before) break;
  } while (left.length > 0 && text.length < MAX_VALUE);
  return text;
}

import { isLiteral, type Word } from "./shell-word.ts";

/** The files that a plain command shows, or `undefined` when it is no plain read. */
export function shownFiles([program, ...rest]: readonly Word[]): readonly Word[] | undefined {
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
function joinCount(words: readonly Word[]): readonly Word[] {
  const [first, second, ...rest] = words;
  if (first === undefined || second === undefined || !/^-[nc]$/.test(first.text)) return words;
  return [{ ...first, text: `${first.text}${second.text}`, known: Number.MAX_SAFE_INTEGER }, ...rest];
}

function operands(words: readonly Word[], option: RegExp): readonly Word[] | undefined {
  const options = words.findIndex(({ text }) => !option.test(text));
  const files = options < 0 ? [] : words.slice(options);
  // What the shell would still change (`*`, `$x`) or what is no file (`-`) is not known to be read.
  const told = files.every((file) => isLiteral(file) && !file.text.startsWith("-"));
  return files.length > 0 && told ? files : undefined;
}

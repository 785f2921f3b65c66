import { cutMessage } from "./classification-prompt.ts";

/** What can be seen in a conversation before anything is weighed. */
export type Reading = {
  /** Words outside code and outside error output, in lower case. */
  readonly words: readonly string[];
  /** Without code blocks. */
  readonly prose: string;
  readonly all: string;
  /** Names with an extension, and dotfiles; in lower case, each once. */
  readonly files: readonly string[];
  /** That code blocks name, as in "```sql". */
  readonly languages: readonly string[];
  readonly hasCode: boolean;
  /** A stack trace, as languages print it. */
  readonly hasTrace: boolean;
  /** An error as a program prints it. */
  readonly hasError: boolean;
};

export const CODE_FILES: ReadonlySet<string> = new Set(
  "ts tsx js jsx mjs cjs py ipynb rb go rs c h cc cpp hpp cs java kt swift php scala ex exs vue svelte css scss html sql sh lua dart tf".split(
    " ",
  ),
);
export const CONFIG_FILES: ReadonlySet<string> = new Set(
  "yaml yml toml ini conf cfg json env zshrc bashrc vimrc gitconfig gitignore editorconfig npmrc eslintrc prettierrc plist properties".split(
    " ",
  ),
);
const OTHER_FILES: ReadonlySet<string> = new Set("md txt csv log pdf xml docx xlsx png jpg svg zip".split(" "));

const MESSAGES = 4;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}_+#]*(?:['’-][\p{L}\p{N}]+)*/gu;
const FILE = /(?<![\w.])(?:[\w-]{1,60}\.){1,4}[a-z][a-z0-9]{0,9}(?![\w])|(?<![\w.])\.[a-z][a-z]{2,20}(?![\w])/gi;
const TRACE = [
  /^Traceback \(most recent call last\)/m,
  /^\s{0,8}File "[^"\n]{1,200}", line \d/m,
  /(?:^|\s)at [\w$.<>]{1,120} ?\([^()\n]{1,200}:\d{1,7}\)?/m,
  /^goroutine \d{1,9} \[/m,
  /^thread '[^'\n]{1,60}' panicked at/m,
  /^Caused by: /m,
];
const ERROR = [
  /\b[A-Z]\w{0,60}(?:Error|Exception)\b(?:\s*[:(]| at )/,
  /^(?:\w{1,20}: )?(?:fatal|fatal error|error|panic)(?:\[\w{1,12}\])?:/im,
  /`?\bERROR: |^make: \*\*\* /m,
  /\b(?:ERESOLVE|ECONNREFUSED|ENOENT|EACCES|EADDRINUSE|ETIMEDOUT|SIGSEGV|SIGKILL)\b/,
];

/** Looks at each message as far as a classifier may; all patterns take time linear in the text. */
export function readConversation(conversation: readonly string[]): Reading {
  const messages = conversation.slice(0, MESSAGES).map(cutMessage);
  const all = messages.join("\n");
  const parts = messages.map((message) => message.split("```"));
  // What stands between an odd and an even fence is code.
  const prose = parts.map((pieces) => pieces.filter((_, at) => at % 2 === 0).join(" ")).join("\n");
  return {
    words: (prose.match(WORD) ?? []).map((word) => word.toLowerCase().replaceAll("’", "'")),
    prose,
    all,
    files: [...new Set((all.match(FILE) ?? []).map((name) => name.toLowerCase()).filter(isFile))],
    languages: parts.flatMap((pieces) => pieces.flatMap((piece, at) => (at % 2 === 1 ? languageOf(piece) : []))),
    hasCode: parts.some((pieces) => pieces.length > 2),
    hasTrace: TRACE.some((pattern) => pattern.test(all)),
    hasError: ERROR.some((pattern) => pattern.test(all)),
  };
}

function languageOf(block: string): readonly string[] {
  const [, name] = /^([a-z]{1,12})\r?\n/i.exec(block) ?? [];
  return name === undefined ? [] : [name.toLowerCase()];
}

/** A name with a dot may also be a property (`list.get`) or a host. */
function isFile(name: string): boolean {
  return CODE_FILES.has(extensionOf(name)) || CONFIG_FILES.has(extensionOf(name)) || OTHER_FILES.has(extensionOf(name));
}

/** What follows the last dot of a name: `ts` of `a.test.ts`, `zshrc` of `.zshrc`. */
export function extensionOf(file: string): string {
  return file.slice(file.lastIndexOf(".") + 1);
}

import type { RunEffects } from "../downloads.ts";
import { programName } from "../programs/program-effects.ts";
import { type ShellRun, wordsOf } from "../shell/shell-line.ts";
import { NO_WORD, type ShellWord } from "../shell/shell-word.ts";
import { isSecretFile, printsSecret, secretIn } from "./secret-sources.ts";

/** The secret that a line sends to another machine, for people: a file, or the command that prints it. */
export function sentSecret(all: readonly RunEffects[]): string | undefined {
  const sinks = all.filter(isSink);
  if (sinks.length === 0) return undefined;
  const carriers = carriersOf(all.map(({ run }) => run));
  for (const sink of sinks) {
    const found = sentBy(sink, carriers) ?? pipedInto(sink, all);
    if (found !== undefined) return found;
  }
  return undefined;
}

const SENDS = /^(?:network\.(?:send|fetch|shell)|github\.write)$/;
const SENDERS =
  /^(?:curl|wget|scp|sftp|rsync|rclone|ssh|nc|ncat|netcat|socat|telnet|ftp|lftp|https?|xh|sendmail|mailx?|mutt|msmtp|swaks|dig|host|nslookup|ping|croc|wormhole)$/;
function isSink({ run, effects }: RunEffects): boolean {
  const sends = effects.some(({ name }) => SENDS.test(name));
  const isSender = run.inside.spans.some(({ from }) => {
    const name = programName(run.words[from] ?? NO_WORD);
    return SENDERS.test(name) || (sends && name !== "git");
  });
  return isSender && !run.words.some(({ text }) => text.includes("--password-stdin"));
}

function programsOf(run: ShellRun): readonly string[] {
  return run.inside.spans.map(({ from }) => programName(run.words[from] ?? NO_WORD));
}

/** Options whose values authenticate, configure or receive: they hold secrets in everyday use. */
const OWN_USE =
  /^(?:-[HuiEKobeJ]|--[\w-]*(?:cert|key|ca|header|user|bearer|auth|netrc|config|output|cookie|proxy|env-file|rsh|identity|password)[\w-]*)$/;
const JOINED = /^(?:-[HuE][^-]|--[\w-]*(?:cert|key|header|user|bearer|auth|netrc|rsh|password)[\w-]*=|Authorization:)/;

/** What a command that sends names itself: as an operand, in data, in the address, or as its input. */
function sentBy({ run }: RunEffects, { files, variables }: Carriers): string | undefined {
  const { words, redirects, inside } = run;
  const at = inside.spans.findLast(({ from }) => SENDERS.test(programName(words[from] ?? NO_WORD)))?.from ?? 0;
  // The words for ssh are a command that runs, and files that are, elsewhere.
  const isShell = programName(words[at] ?? NO_WORD) === "ssh";
  const data = words.slice(at + 1).filter((word, i, all) => {
    const before = all[i - 1]?.text ?? "";
    return !OWN_USE.test(before) && !JOINED.test(word.text);
  });
  for (const word of isShell ? data.filter(({ unknown }) => unknown !== undefined) : data) {
    const found = secretOf(word, variables) ?? foreignToken(word, data);
    if (found !== undefined) return found;
    const named = fileNames(word).find((name) => (!isShell && isSecretFile(name)) || files.has(name));
    if (named !== undefined) return named;
  }
  return redirects.flatMap(({ operator, target, body }) =>
    operator === "<" && (isSecretFile(target.text) || files.has(target.text))
      ? [target.text]
      : operator === "<<<" || body !== undefined
        ? (secretOf(target, variables) ?? [])
        : [],
  )[0];
}

/** `@.env`, `f=@.env`, `--post-file=.env`; with the values that a loop or a variable likely gives. */
function fileNames({ text, unknown }: ShellWord): readonly string[] {
  return [text, ...(unknown?.likely ?? [])].map((one) =>
    one.replace(/^--?[\w-]+=/, "").replace(/^(?:[\w.-]+=)?[@<]/, ""),
  );
}

function secretOf({ unknown }: ShellWord, variables: ReadonlyMap<string, string>): string | undefined {
  if (unknown === undefined) return undefined;
  const { source } = unknown;
  for (const [name, secret] of variables) if (new RegExp(`\\$\\{?${name}\\b`).test(source)) return secret;
  const at = source.search(/\$\(|`/);
  return at < 0 ? undefined : secretIn(source.slice(at));
}

/** The token of a well-known service, if no other word names the service. */
function foreignToken({ unknown }: ShellWord, words: readonly ShellWord[]): string | undefined {
  const [, name, vendor = ""] = TOKEN.exec(unknown?.source ?? "") ?? [];
  const texts = words.map(({ text }) => text.replace(/\$\{?\w+/g, ""));
  const isOpen = !texts.some((text) => /^(?:https?:\/\/)?[\w-]+\.[\w.-]+/.test(text));
  return name === undefined || isOpen || texts.some((text) => text.toLowerCase().includes(vendor.toLowerCase()))
    ? undefined
    : name;
}
const TOKEN = /\$\{?((GITHUB|GITLAB|NPM|SLACK|OPENAI|ANTHROPIC|AWS|AZURE|STRIPE|HEROKU)_\w*(?:TOKEN|KEY|SECRET)\w*)/;

type Carriers = {
  /** Files that the line filled with a secret. */
  readonly files: ReadonlySet<string>;
  /** Variables that the line set to a secret. */
  readonly variables: ReadonlyMap<string, string>;
};

const PACKERS = /^(?:tar|bsdtar|zip|7z|7za|cp|mv|install|gzip|xz|zstd|gpg|age|openssl|dd|ln|sqlite3)$/;

function carriersOf(runs: readonly ShellRun[]): Carriers {
  const files = new Set<string>();
  const variables = new Map<string, string>();
  for (const run of runs) {
    for (const { name, value } of run.assignments) {
      const secret = value.unknown === undefined ? undefined : secretOf(value, variables);
      if (secret !== undefined && /^\w+$/.test(name)) variables.set(name, secret);
    }
    if (printedBy(run) === undefined) continue;
    for (const { operator, target } of run.redirects) if (operator.startsWith(">")) files.add(target.text);
    const isPacked = programsOf(run).some((name) => PACKERS.test(name));
    for (const { text } of isPacked ? run.words.slice(1) : []) {
      const name = text.replace(/^of=/, "");
      if (/[./]/.test(name) && !name.startsWith("-") && !isSecretFile(name)) files.add(name);
    }
  }
  return { files, variables };
}

/** Programs that print names or facts of a file, not its text. */
const NAMES_ONLY =
  /^(?:ls|find|fd|stat|test|\[|\[\[|chmod|chown|wc|echo|printf|ssh-add|ssh-keygen|file|du|realpath|basename|sha\d+sum|md5sum|touch|rm|mkdir)$/;

/** The secret that a command prints or packs. */
function printedBy(run: ShellRun): string | undefined {
  const spans = run.inside.spans.map((span) => wordsOf(run, span));
  const printed = spans.map((words) => words.map(({ text }) => text).join(" ")).find(printsSecret);
  if (printed !== undefined) return printed;
  const names = [
    ...run.words.slice(1),
    ...run.redirects.flatMap(({ operator, target }) => (operator === "<" ? [target] : [])),
  ];
  return names.map(({ text }) => text).find(isSecretFile);
}

/** The secret that an earlier part of the same pipeline prints. */
function pipedInto({ run: sink }: RunEffects, all: readonly RunEffects[]): string | undefined {
  const end = all.findIndex(({ run }) => run === sink);
  if (!isFed(sink)) return undefined;
  const takesNames = programsOf(sink).includes("xargs");
  for (let i = end - 1; i >= 0; i -= 1) {
    const run = all[i]?.run;
    if (run === undefined || !isPiped(run)) return undefined;
    const found = takesNames || !programsOf(run).some((name) => NAMES_ONLY.test(name)) ? printedBy(run) : undefined;
    if (found !== undefined) return found;
    if (!isFed(run) && run.scope === undefined) return undefined;
  }
  return undefined;
}

type Place = Pick<ShellRun, "pipeline" | "scope">;

function isPiped({ pipeline, scope }: Place): boolean {
  return (
    pipeline.index + 1 < pipeline.length ||
    (scope !== undefined && isPiped({ pipeline: scope.pipeline, scope: scope.parent }))
  );
}

function isFed({ pipeline, scope }: Place): boolean {
  return pipeline.index > 0 || (scope !== undefined && isFed({ pipeline: scope.pipeline, scope: scope.parent }));
}

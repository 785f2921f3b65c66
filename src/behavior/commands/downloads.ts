import type { CommandEffect } from "./programs/program-effects.ts";
import type { ShellRun } from "./shell/shell-line.ts";
import { baseName, isLiteral, mayVanish } from "./shell/shell-word.ts";

/** A command of a line with its effects. */
export type RunEffects = { readonly run: ShellRun; readonly effects: readonly CommandEffect[] };

/** `curl … | sh`, `bash <(curl …)`, `eval "$(curl …)"`, `curl -o x … && sh x` */
export function runsDownload(all: readonly RunEffects[]): boolean {
  if (!all.some(({ effects }) => effects.some(({ name }) => name === "network.fetch"))) return false;
  const fetches = all.filter((one) => fetchesOf(one).length > 0);
  const piped = all.findIndex((one) => isPiped(one.run) && fetchesOf(one).length > 0);
  if (piped >= 0 && all.slice(piped + 1).some((one) => isFed(one.run) && (readsCode(one) || runsInput(one))))
    return true;
  if (fetches.some(({ run }) => isSubstituted(run))) {
    return all.some((one) => fetchesOf(one).length === 0 && (readsCode(one) || isCode(one.run, codeOf(one))));
  }
  const names = new Set(fetches.flatMap((one) => downloadedNames(one.run, fetchesOf(one))));
  return all.some((one) => {
    const files = [one.run.words[0]?.text, ...codeOf(one).map(({ args }) => args.file)];
    const read = readsCode(one) ? inputFiles(one.run) : [];
    return [...files, ...read].some((file) => typeof file === "string" && names.has(baseName(file)));
  });
}

function fetchesOf({ effects }: RunEffects): readonly CommandEffect[] {
  return effects.filter(({ name }) => name === "network.fetch");
}

function codeOf({ effects }: RunEffects): readonly CommandEffect[] {
  return effects.filter(({ name }) => name === "code.run");
}

/** Reads code from its standard input. */
function readsCode(one: RunEffects): boolean {
  return one.run.inside.readsInput || codeOf(one).some(({ args }) => args.input === true);
}

/** `… | while read -r line; do eval "$line"; done`, `… | xargs -0 bash -c` */
function runsInput({ run }: RunEffects): boolean {
  const [program] = run.words;
  return (
    (program?.text === "eval" && run.words.some((word) => !isLiteral(word))) ||
    (run.inside.more && run.inside.scripts.length > 0)
  );
}

function isPiped({ pipeline, scope }: Pick<ShellRun, "pipeline" | "scope">): boolean {
  return pipeline.length > 1 || (scope !== undefined && isPiped({ pipeline: scope.pipeline, scope: scope.parent }));
}

function isFed({ pipeline, scope }: Pick<ShellRun, "pipeline" | "scope">): boolean {
  return pipeline.index > 0 || (scope !== undefined && isFed({ pipeline: scope.pipeline, scope: scope.parent }));
}

function isSubstituted({ scope }: Pick<ShellRun, "scope">): boolean {
  return scope !== undefined && (scope.kind === "substitution" || isSubstituted({ scope: scope.parent }));
}

function inputFiles({ redirects }: ShellRun): readonly string[] {
  return redirects.flatMap(({ operator, target }) => (operator === "<" ? [target.text] : []));
}

function downloadedNames({ redirects }: ShellRun, fetched: readonly CommandEffect[]): readonly string[] {
  const written = redirects.flatMap(({ operator, target }) => (operator.startsWith(">") ? [target.text] : []));
  const named = fetched.flatMap(({ args: { output, url } }) => [
    output,
    typeof url === "string" ? url.replace(/[?#].*$/, "") : "",
  ]);
  const texts = [...written, ...named].filter((text): text is string => typeof text === "string" && text !== "");
  return texts.map(baseName).filter((name) => name !== "");
}

/** Runs text that is not on the line. */
function isCode({ words, inside }: ShellRun, code: readonly CommandEffect[]): boolean {
  const [program] = words;
  if (program !== undefined && mayVanish(program)) return true;
  const isSource = /^(?:source|\.|eval)$/.test(program?.text ?? "");
  const isOpen = words.some(({ text, unknown }) => unknown !== undefined || text.startsWith("/dev/fd/"));
  const isShell =
    isSource || inside.readsInput || inside.scripts.length > 0 || words.some(({ text }) => text.startsWith("/dev/fd/"));
  return isOpen && (isShell || code.some(({ args }) => args.opaque === true && args.language !== "git"));
}

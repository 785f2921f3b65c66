import { type CommandEffect, programName } from "../programs/program-effects.ts";
import type { ShellRun } from "../shell/shell-line.ts";
import { baseName, NO_WORD, type ShellWord } from "../shell/shell-word.ts";
import { redirectAccess } from "./access.ts";
import { operandsOf } from "./operands.ts";

/**
 * The files that a command writes, by redirections and by name. `edits`: what was in them before stays. A copy of a file
 * that the line wrote itself is no copy.
 */
export function writtenPaths(
  { redirects }: ShellRun,
  readings: readonly (readonly ShellWord[])[],
  written: ReadonlySet<string>,
): readonly CommandEffect[] {
  if (redirects.length === 0 && !readings.some(mayWrite)) return [];
  const targets = redirects
    .filter((one) => redirectAccess(one) === "write")
    .flatMap(({ target: { text, unknown }, operator }) => {
      const edits = operator.includes(">>") || operator === "<>";
      return (unknown?.likely ?? [text]).map((path) => ({ path, edits }));
    });
  const named = readings.flatMap((words) => {
    const appends = words[0]?.text === "tee" && words.some(({ text }) => /^(?:-\w*a\w*|--append)$/.test(text));
    const operands = operandsOf(words, false).filter(({ access }) => access === "write");
    return [
      ...operands.map(({ word, edits = appends }) => ({ path: word.text, edits })),
      ...editedFiles(words).map((path) => ({ path, edits: true })),
    ];
  });
  const files = [...targets, ...named].filter(({ path }) => !path.startsWith("/dev/"));
  if (files.length === 0) return [];
  const copied =
    readings.length > 0 &&
    readings.every(
      (words) => COPIES.test(programName(words[0] ?? NO_WORD)) && !words.some(({ text }) => written.has(text)),
    );
  return [...Map.groupBy(files, ({ edits }) => edits)].map(([edits, of]) => {
    const paths = [...new Set(of.map(({ path }) => path))];
    const args = { ...(edits ? { edits } : {}), paths, ...(copied ? { copied } : {}) };
    return { name: "files.write", args, sure: false };
  });
}

/** The programs whose words name files that they write. */
const WRITERS = new Set(
  "tee sponge truncate shred cp mv install ln rsync scp dd sed gsed perl ruby sort curl wget ex ed vi vim nvi nvim yq awk gawk sd".split(
    " ",
  ),
);

function mayWrite([program]: readonly ShellWord[]): boolean {
  return program !== undefined && WRITERS.has(baseName(program.text));
}

const COPIES = /^(?:cp|mv|rsync|scp|install|ln|git|sudo)$/;

/** Files that `yq -i`, `awk -i inplace`, `ex` and `ed` write back. */
function editedFiles(words: readonly ShellWord[]): readonly string[] {
  const [program = "", ...rest] = words.map(({ text }) => text);
  const isEditor =
    /(?:^|\/)(?:ex|ed|n?vim?)$/.test(program) &&
    (/ed$|ex$/.test(program) || rest.some((text) => /^-(?:c|e?s|E)/.test(text)));
  const isInPlace =
    /(?:^|\/)(?:yq|g?awk|sd)$/.test(program) &&
    (program.endsWith("sd") || rest.some((text) => /^(?:-i|--inplace|inplace)$/.test(text)));
  return isEditor || isInPlace
    ? rest.filter((text) => /^[\w@~./*-]*[./][\w@./*-]*$/.test(text) && !text.startsWith("-") && !/^\.\w+$/.test(text))
    : [];
}

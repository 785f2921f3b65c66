import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { sha256 } from "../../base/kernel/canonical-json.ts";
import { asList, asObject } from "../../base/kernel/json.ts";
import type { ImportedLine } from "./import-plan.ts";

/** The folder of imported files, next to the project's conduct.yaml. */
export const IMPORTED = "imported";

/** What was imported from one file, to show later what has changed in it. */
export type RecordedFile = {
  readonly name: string;
  readonly sha256: string;
  readonly lines: readonly { readonly line: number; readonly text: string; readonly kind: string }[];
};

/**
 * `rules` is the hash of the rule file as written, to notice edits in it. `config` is the hash of conduct.yaml as written,
 * and `before` its text without the import, for undo; without `before` there was no file.
 */
export type ImportRecord = {
  readonly folder: string;
  readonly rules: string;
  readonly config: string;
  readonly before?: string;
  readonly files: readonly RecordedFile[];
};

export function recordPath(config: string): string {
  return join(dirname(config), IMPORTED, "import.json");
}

/** The record next to a project's configuration; `undefined` without one. Throws if it is damaged. */
export async function readRecord(config: string): Promise<ImportRecord | undefined> {
  const path = recordPath(config);
  if (!existsSync(path)) return undefined;
  const { folder, rules, config: written, before, files } = asObject(JSON.parse(await readFile(path, "utf8")));
  return {
    folder: String(folder),
    rules: String(rules),
    config: String(written),
    before: typeof before === "string" ? before : undefined,
    files: asList(files).map((one) => {
      const { name, sha256, lines } = asObject(one);
      return {
        name: String(name),
        sha256: String(sha256),
        lines: asList(lines).map((line) => {
          const { line: at, text, kind } = asObject(line);
          return { line: Number(at), text: String(text), kind: String(kind) };
        }),
      };
    }),
  };
}

/** The part of the record about the files. */
export function recordedFiles(
  files: readonly { readonly name: string; readonly sha256: string }[],
  lines: readonly ImportedLine[],
): readonly RecordedFile[] {
  return files.map(({ name, sha256 }) => ({
    name,
    sha256,
    lines: lines
      .filter(({ file }) => file === name)
      .map(({ line, text, becomes }) => ({ line, text, kind: becomes.kind })),
  }));
}

/** The lines that are new since the last import, and those that are gone. */
export function changedLines(record: ImportRecord | undefined, lines: readonly ImportedLine[]) {
  const key = (file: string, text: string) => JSON.stringify([file, text]);
  const known = new Set(record?.files.flatMap(({ name, lines }) => lines.map(({ text }) => key(name, text))));
  const now = new Set(lines.map(({ file, text }) => key(file, text)));
  return {
    added: lines.filter(({ file, text }) => !known.has(key(file, text))),
    gone: (record?.files ?? []).flatMap(({ name, lines }) =>
      lines.filter(({ text }) => !now.has(key(name, text))).map((one) => ({ file: name, ...one })),
    ),
  };
}

/** The imported files that have changed since, or are gone; for `status` and `doctor`. Never rejects. */
export async function changedSources(config: string): Promise<readonly string[]> {
  try {
    const record = await readRecord(config);
    const checked = (record?.files ?? []).map(async ({ name, sha256: known }) => {
      const text = await readFile(resolve(record?.folder ?? "", name), "utf8").catch(() => undefined);
      return text === undefined ? `${name} is gone` : sha256(text) === known ? undefined : `${name} has changed`;
    });
    return (await Promise.all(checked)).filter((one) => one !== undefined);
  } catch {
    return ["the record of the import is damaged"];
  }
}

import { isSameJson, sha256 } from "../../base/kernel/canonical-json.ts";
import { parseObject } from "../../base/kernel/json.ts";
import { unwatchFiles, watchFiles } from "../daemon/hook-guard/known-setup.ts";
import {
  type ChangedFile,
  dropRecord,
  type InstallRecord,
  keepBackup,
  readBackup,
  readRecord,
  recordFolders,
  writeRecord,
} from "./install-record.ts";
import type { Edited, InstallableRuntime, InstallPlace, SettingsFile } from "./runtime.ts";
import {
  leavesFolder,
  readSettings,
  removeSettings,
  restoreMode,
  settingsMode,
  whyReadOnly,
  writeSettings,
} from "./settings-file.ts";

/** One file's change; `undefined` is a missing file. */
export type Change = {
  readonly file: SettingsFile;
  readonly before: string | undefined;
  readonly after: string | undefined;
};

export type Plan =
  | { readonly changes: readonly Change[] }
  | (Extract<Edited, { readonly refused: string }> & { readonly path: string; readonly readOnly?: true });

/** The changes that an installation would make, per file; writes nothing. */
export function planInstall(files: readonly SettingsFile[]): Promise<Plan> {
  return plan(files, async (file, text) => file.add(text));
}

/**
 * The changes that an undo would make: a file untouched since then is restored to the last byte; from others only
 * Conduct's part is removed.
 */
export function planUndo(files: readonly SettingsFile[], record: InstallRecord, folder: string): Promise<Plan> {
  return plan(files, async (file, text) => {
    const kept = record.files.find(({ path }) => path === file.path);
    if (kept === undefined) return { text };
    const before = await readBackup(folder, kept);
    if (text !== undefined && sha256(text) === kept.sha256) return { text: before };
    const left = file.remove(text, before);
    // If a runtime only reformatted the file, the original is restored too.
    return "text" in left && saysTheSame(left.text, before) ? { text: before } : left;
  });
}

function saysTheSame(one: string | undefined, other: string | undefined): boolean {
  const [left, right] = [one, other].map((text) => (text ?? "").replace(/\n+/g, "\n").trim());
  if (left === right) return true;
  const [a, b] = [one, other].map((text) => parseObject(text ?? "{}"));
  return a !== undefined && b !== undefined && isSameJson(a, b);
}

async function plan(
  files: readonly SettingsFile[],
  edit: (file: SettingsFile, text: string | undefined) => Promise<Edited>,
): Promise<Plan> {
  const changes: Change[] = [];
  for (const file of files) {
    if (file.within !== undefined && (await leavesFolder(file.path, file.within))) {
      const refused = `a link leads it out of ${file.within}`;
      return { refused, fix: "remove the link, or install Conduct without --project", path: file.path };
    }
    const before = await readSettings(file.path);
    const edited = await edit(file, before);
    if ("refused" in edited) return { ...edited, path: file.path };
    if (edited.text === before && !(await isOpenSecret(file))) continue;
    const readOnly = await whyReadOnly(file.path);
    if (readOnly !== undefined) return { ...readOnly, path: file.path, readOnly: true };
    changes.push({ file, before, after: edited.text });
  }
  return { changes };
}

/** Can other accounts read the token in it? */
export async function isOpenSecret({ path, secret }: SettingsFile): Promise<boolean> {
  return secret === true && (((await settingsMode(path)) ?? 0) & 0o077) !== 0;
}

/** A file was changed while the question was open. */
export class ChangedMeanwhileError extends Error {}

/** Makes the changes, after writing the record. If one fails, the earlier ones are rolled back. */
export async function makeChanges(
  folder: string,
  changes: readonly Change[],
  { last, ...about }: Omit<InstallRecord, "files"> & { readonly last: InstallRecord | undefined },
): Promise<InstallRecord> {
  for (const change of changes) await refuseIfChanged(change);
  const kept: ChangedFile[] = (last?.files ?? []).filter(({ path }) => !changes.some(({ file }) => file.path === path));
  for (const { file, before, after } of changes) {
    const known = last?.files.find(({ path }) => path === file.path);
    kept.push({ ...(await originOf(folder, file, before, known)), sha256: sha256(after ?? "") });
  }
  const record = { ...about, files: kept };
  await unwatchFiles(folder, record);
  await writeRecord(folder, record);
  const done: Change[] = [];
  const made = new Map<string, string>();
  try {
    for (const change of changes) {
      const folderMade = await put(change.file.path, change.after, undefined, change.file.secret);
      done.push(change);
      if (folderMade !== undefined) made.set(change.file.path, folderMade);
    }
  } catch (error) {
    for (const { file, before } of done.reverse()) await put(file.path, before, made.get(file.path));
    await (last === undefined ? dropRecord(folder) : writeRecord(folder, last));
    await watchFiles(folder, last);
    throw error;
  }
  const files = kept.map((one) => ({ ...one, ...(made.has(one.path) ? { made: made.get(one.path) ?? "" } : {}) }));
  await writeRecord(folder, { ...about, files });
  await watchFiles(folder, { ...about, files });
  return { ...about, files };
}

export async function takeBack(folder: string, changes: readonly Change[], record: InstallRecord): Promise<void> {
  for (const change of changes) await refuseIfChanged(change);
  await unwatchFiles(folder, record);
  // In reverse order: folders created for the first file are empty only then.
  for (const { file, after } of changes.toReversed()) {
    await put(file.path, after, record.files.find(({ path }) => path === file.path)?.made);
  }
  for (const { path, mode } of record.files) if (mode !== undefined) await restoreMode(path, mode);
  await dropRecord(folder);
}

/** Changes that the runtime itself made to its files since, such as trusting a hook, are recorded as ours. */
export async function settleRecord(folder: string, record: InstallRecord): Promise<void> {
  const files = await Promise.all(
    record.files.map(async (file) => ({ ...file, sha256: sha256((await readSettings(file.path)) ?? "") })),
  );
  await writeRecord(folder, { ...record, files });
}

/** The file as it was before Conduct was first installed, plus later changes by a person. */
async function originOf(
  folder: string,
  file: SettingsFile,
  before: string | undefined,
  known: ChangedFile | undefined,
): Promise<Omit<ChangedFile, "sha256">> {
  const made = {
    ...(known?.made === undefined ? {} : { made: known.made }),
    ...modeOf(known === undefined ? await settingsMode(file.path) : known.mode),
  };
  if (known !== undefined && before !== undefined && sha256(before) === known.sha256) {
    return { path: file.path, backup: known.backup, ...made };
  }
  const cleaned = file.remove(before, known === undefined ? undefined : await readBackup(folder, known));
  const text = "text" in cleaned && !saysTheSame(cleaned.text, before) ? cleaned.text : before;
  if (text === undefined) return { path: file.path, ...made };
  return { path: file.path, backup: await keepBackup(folder, file.path, text), ...made };
}

function modeOf(mode: number | undefined): { readonly mode?: number } {
  return mode === undefined ? {} : { mode };
}

async function refuseIfChanged({ file, before }: Change): Promise<void> {
  if ((await readSettings(file.path)) === before) return;
  throw new ChangedMeanwhileError(`${file.path} was changed in the meantime and was left alone`);
}

function put(path: string, text: string | undefined, made?: string, secret?: true): Promise<string | undefined> {
  if (text !== undefined) return writeSettings(path, text, secret);
  return removeSettings(path, made).then(() => undefined);
}

/** The settings of one place where a runtime is installed, and their changes. */
export type ModeChange = {
  readonly folder: string;
  readonly record: InstallRecord;
  readonly changes: readonly Change[];
};

type Place = Omit<InstallPlace, "project" | "enforcement">;

/**
 * The changes to a runtime's settings for another enforcement mode, wherever `conduct init` installed it: some
 * settings define what a failing hook does. A file that differs from what `init` wrote is left alone; `conduct doctor`
 * reports it.
 */
export async function planEnforcement(
  runtime: InstallableRuntime,
  place: Place,
  wanted: InstallPlace["enforcement"],
): Promise<{ readonly changes: readonly ModeChange[] } | Extract<Plan, { readonly refused: string }>> {
  const found: ModeChange[] = [];
  for (const folder of await recordFolders(place.home, runtime.name)) {
    const record = await readRecord(folder);
    if (record === undefined) continue;
    const files = await filesToChange(
      runtime,
      { ...place, ...(record.project && { project: record.project }) },
      wanted,
    );
    const plan = await planInstall(files);
    if ("refused" in plan) return plan;
    if (plan.changes.length > 0) found.push({ folder, record, changes: plan.changes });
  }
  return { changes: found };
}

export async function applyEnforcement(changes: readonly ModeChange[]): Promise<void> {
  for (const { folder, record, changes: made } of changes) {
    const { files: _, ...about } = record;
    await makeChanges(folder, made, { ...about, last: record });
  }
}

async function filesToChange(
  runtime: InstallableRuntime,
  place: Place & Pick<InstallPlace, "project">,
  wanted: InstallPlace["enforcement"],
): Promise<readonly SettingsFile[]> {
  const other = wanted === "enforce" ? "shadow" : "enforce";
  const [now, then] = [
    runtime.files({ ...place, enforcement: other }),
    runtime.files({ ...place, enforcement: wanted }),
  ];
  if ("refused" in now || "refused" in then) return [];
  const right: SettingsFile[] = [];
  for (const [at, file] of now.entries()) {
    const next = then[at];
    const text = await readSettings(file.path);
    if (next !== undefined && text !== undefined && file.faults(text).length === 0) right.push(next);
  }
  return right;
}

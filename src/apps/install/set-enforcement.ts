import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../../edge/host/workspace/resolve-path.ts";
import { type Change, makeChanges, type Plan, planInstall } from "./plan.ts";
import { type InstallRecord, readRecord } from "./record.ts";
import type { InstallableRuntime, InstallPlace, SettingsFile } from "./runtime.ts";
import { readSettings } from "./settings-file.ts";

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
  for (const folder of await recordFolders(place.home, runtime)) {
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

async function recordFolders(home: string, { name }: InstallableRuntime): Promise<readonly string[]> {
  try {
    const names = await readdir(join(home, "init"));
    const own = new RegExp(`^${name}(-[0-9a-f]{12})?$`);
    return names.filter((one) => own.test(one)).map((one) => join(home, "init", one));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

import { isSameJson } from "../../../base/kernel/canonical-json.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import {
  type RuntimesSettings,
  readRuntimes,
  replaceRuntimes,
  runtimesFile,
} from "../../../edge/host/opening/runtime-settings.ts";
import { changeSetup, readSetup, type Setup } from "../../../edge/host/switch/setup-record.ts";
import { LockedError, withFileLock } from "../../../edge/host/workspace/file-lock.ts";
import { type GuardReport, setupChanged } from "./guard-report.ts";

type RuntimesChecked = { readonly setup: Setup; readonly reports: readonly GuardReport[] };

/**
 * Compares `runtimes.json` with the signed record. A change that loosens an enforced runtime is reverted; others are
 * accepted and reported.
 */
export async function checkRuntimes(home: string, known: Setup): Promise<RuntimesChecked> {
  try {
    return await withFileLock(`${runtimesFile(home)}.lock`, () => check(home, known));
  } catch (error) {
    // A lock that stays taken must not hide a change.
    if (error instanceof LockedError) return check(home, known);
    throw error;
  }
}

async function check(home: string, known: Setup): Promise<RuntimesChecked> {
  // `conduct enforce` may have signed a change while this process waited for the lock.
  const read = readSetup(home);
  const setup = typeof read === "string" ? known : read;
  const file = runtimesFile(home);
  const enforced = Object.entries(setup.runtimes).filter(([, { enforcement }]) => enforcement === "enforce");
  let now: RuntimesSettings;
  try {
    now = await readRuntimes(home);
  } catch (error) {
    // Nothing runs while the file is unreadable, so without enforced runtimes there is nothing to restore now.
    if (enforced.length === 0) return { setup, reports: [report(file, errorText(error), "reported")] };
    await replaceRuntimes(home, setup.runtimes);
    return { setup, reports: [report(file, errorText(error), "restored")] };
  }
  if (isSameJson(now, setup.runtimes)) return { setup, reports: [] };
  const loosened = enforced.filter(([name, settings]) => !isSameJson(now[name], settings));
  const after = { ...now, ...Object.fromEntries(loosened) };
  if (loosened.length > 0) await replaceRuntimes(home, after);
  const signed = await changeSetup(home, (before) => ({ ...before, runtimes: after }), setup);
  const what = loosened.map(
    ([name]) => `${name} is ${now[name]?.enforcement === "shadow" ? "only watched" : "bound in another way"}`,
  );
  const others = isSameJson(after, setup.runtimes)
    ? []
    : [report(file, "a runtime is bound in another way", "reported")];
  const restored = what.length === 0 ? [] : [report(file, what.join(", "), "restored")];
  return { setup: signed, reports: [...restored, ...others] };
}

function report(file: string, what: string, outcome: GuardReport["outcome"]): GuardReport {
  const fix =
    "To only watch a runtime, run: conduct enforce RUNTIME --shadow; to bind it to another agent: conduct init RUNTIME --agent NAME";
  return setupChanged(file, what, outcome, fix);
}

import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { isSameJson } from "../../../base/kernel/canonical-json.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import { endPause, readPauseFile } from "../../../edge/host/daemon/paused.ts";
import {
  type RuntimesSettings,
  readRuntimes,
  replaceRuntimes,
  runtimesFile,
} from "../../../edge/host/opening/runtime-settings.ts";
import { changeSetup, readSetup, type Setup, setupFile } from "../../../edge/host/switch/setup-record.ts";
import { LockedError, withFileLock } from "../../../edge/host/workspace/file-lock.ts";
import { operatorConfigs } from "../../../edge/host/workspace/find-config.ts";
import { leavesFolder, readSettings, writeSettings } from "../../install/settings-file.ts";
import { STARTER_CONFIG } from "../../install/starter-config.ts";
import {
  dropOldest,
  type GuardedKind,
  type GuardReport,
  guardedKind,
  hooksRemoved,
  LAUNCHER,
  projectSwitches,
  setupChanged,
} from "./guarded-file.ts";
import { setupAtStart } from "./known-setup.ts";
import { WatchedPaths } from "./watched-paths.ts";

/** Poll interval, for changes that the system did not report. */
const POLL_MS = 2_000;
/** Maximum restores of a file per minute; after that the repeated removal is reported instead. */
const RESTORES = 5;
const MINUTE = 60_000;
const ROUNDS = 5;
/** Maximum of watched projects; the least recently used is dropped first. */
const PROJECTS = 50;

type GuardOptions = {
  readonly home: string;
  readonly report: (report: GuardReport) => void;
  readonly pollMs?: number;
  readonly now?: () => number;
};

/** Watches everything that can switch Conduct off, and reverts changes not made by Conduct's own commands. */
export type HookGuard = {
  /** Resolves when every change so far is handled. Costs a few stats if nothing changed. Never rejects. */
  look(): Promise<void>;
  /** Watches the project settings of this folder from now on. */
  enterProject(runtime: string, folder: string): void;
  close(): void;
};

type Watched = {
  readonly path: string;
  readonly runtime: string;
  readonly kind: GuardedKind;
  readonly good: string;
  /** The project whose own file it is: links must not lead out of it. */
  readonly within?: string;
};

export function openHookGuard({ home, report, pollMs = POLL_MS, now = Date.now }: GuardOptions): HookGuard {
  let setup: Setup | undefined;
  let looking: Promise<void> | undefined;
  let isClosed = false;
  const projects = new Map<string, { readonly runtime: string; readonly folder: string }>();
  /** Reported problems that still exist, by file. */
  const told = new Map<string, string>();
  const restores = new Map<string, number[]>();
  /** The known content of each configuration; unset until the first look is over. */
  let configs: Map<string, string | undefined> | undefined;
  const paths = new WatchedPaths(() => void look());
  /** Files that something keeps removing; retried after a while. */
  const givenUp = new Map<string, number>();
  const timer = setInterval(() => {
    paths.rewatch();
    for (const [path, at] of givenUp) if (now() - at > MINUTE && givenUp.delete(path)) paths.forget(path);
    void look();
  }, pollMs);
  timer.unref();

  const own = [setupFile(home), runtimesFile(home), join(home, "paused")];

  function watched(): readonly Watched[] {
    const files = (setup?.files ?? []).flatMap(({ path, runtime, text }): readonly Watched[] => {
      const kind = guardedKind(runtime, path);
      return kind === undefined ? [] : [{ path, runtime, kind, good: text }];
    });
    const guarded = new Set(files.map(({ path }) => path));
    const switches = [...projects.values()].flatMap(({ runtime, folder }) =>
      projectSwitches(runtime).map(({ path, kind }) => ({
        path: join(folder, path),
        runtime,
        kind,
        good: "",
        within: folder,
      })),
    );
    return [...files, ...switches.filter(({ path }) => !guarded.has(path))];
  }

  const configFiles = () => new Set([...operatorConfigs(home), ...(configs?.keys() ?? [])]);
  const changed = () => paths.changed([...own, ...configFiles(), ...watched().map(({ path }) => path)]);

  function look(): Promise<void> {
    if (isClosed) return Promise.resolve();
    if (looking === undefined && (setup === undefined || changed().length > 0)) {
      looking = check()
        .catch((error: unknown) => {
          const what = `it cannot be checked (${errorText(error)})`;
          tell("guard", setupChanged(home, what, "reported", "Run: conduct doctor"));
        })
        .finally(() => {
          looking = undefined;
        });
    }
    return looking ?? Promise.resolve();
  }

  async function check(): Promise<void> {
    if (setup === undefined) await begin();
    for (let round = 0; round < ROUNDS; round++) {
      const some = new Set(changed());
      if (some.size === 0) return;
      for (const path of some) paths.seen(path);
      if (some.has(setupFile(home))) await checkSetup();
      if (some.has(runtimesFile(home)) || some.has(setupFile(home))) await checkBindings();
      if (some.has(join(home, "paused"))) checkPause();
      await checkConfigs(some);
      for (const file of watched()) if (some.has(file.path)) await checkFile(file);
    }
  }

  async function begin(): Promise<void> {
    const { setup: found, doubt } = await setupAtStart(home);
    setup = found;
    if (doubt === undefined) return;
    const fix = "Conduct now compares with the current files. Check them with: conduct doctor";
    tell(setupFile(home), setupChanged(setupFile(home), doubt, "reported", fix));
    for (const { path, runtime, text } of found.files) {
      if (guardedKind(runtime, path)?.has(text) === true) continue;
      tell(path, hooksRemoved(runtime, path, "it contains no hook of Conduct", "reported"));
    }
  }

  async function checkSetup(): Promise<void> {
    const read = readSetup(home);
    if (typeof read !== "string") {
      setup = read;
      return;
    }
    const known = setup;
    if (known === undefined) return;
    if (read === "none" && known.files.length === 0 && Object.keys(known.runtimes).length === 0) return;
    await changeSetup(home, (before) => before, known);
    const what = read === "none" ? "it was removed" : "its signature is wrong";
    const fix = "To change the setup, use: conduct init, conduct enforce";
    report(setupChanged(setupFile(home), what, "restored", fix));
  }

  async function checkBindings(): Promise<void> {
    if (setup === undefined) return;
    const { setup: after, reports } = await checkRuntimes(home, setup);
    setup = after;
    for (const one of reports) report(one);
  }

  function checkPause(): void {
    const found = readPauseFile(home, now());
    const where = join(home, "paused");
    if (found.kind === "none") told.delete(where);
    if (found.kind === "pause") {
      const { until, by, proof } = found.pause;
      const message = `Paused until ${new Date(until).toISOString()} by ${by} (${proof}): everything is recorded, nothing is enforced. End it with: conduct resume`;
      tell(where, { code: "paused", where, outcome: "reported", message });
    }
    if (found.kind !== "forged") return;
    endPause(home);
    const message = `${where} was not written by conduct pause (${found.why}). It had no effect and was removed. A person pauses with: conduct pause 10m`;
    report({ code: "pause-forged", where, outcome: "restored", message });
  }

  async function checkConfigs(changed: ReadonlySet<string>): Promise<void> {
    const isFirst = configs === undefined;
    configs ??= new Map();
    for (const where of configFiles()) {
      if (!changed.has(where)) continue;
      const text = await readSettings(where).catch(() => undefined);
      const isNews = !isFirst && configs.get(where) !== text;
      configs.set(where, text);
      if (!isNews || text === STARTER_CONFIG) continue;
      const what = text === undefined ? "was removed" : "was changed";
      const message = `${where} ${what}. It applies from the next moment on. If that was not you, check it with: conduct config check ${where}`;
      report({ code: "config-changed", where, outcome: "reported", message });
    }
  }

  async function checkFile(file: Watched): Promise<void> {
    const { path, runtime, kind, good } = file;
    const read = await readAgain(path);
    const off = "fault" in read ? read.fault : kind.off(read.text, good);
    if (off === undefined) {
      told.delete(path);
      if ("text" in read && read.text !== undefined && read.text !== good) await keepGood(path, read.text);
      return;
    }
    const isEnforced = (setup?.runtimes[runtime]?.enforcement ?? "enforce") === "enforce";
    // Another version of Conduct may have written the launcher, so only a missing one is restored.
    const isLeft = runtime === LAUNCHER ? "text" in read && read.text !== undefined : !isEnforced;
    if (isLeft) return tell(path, hooksRemoved(runtime, path, off, "reported"));
    const lately = (restores.get(path) ?? []).filter((at) => now() - at < MINUTE);
    if (lately.length >= RESTORES) {
      givenUp.set(path, now());
      return tell(path, hooksRemoved(runtime, path, off, "given-up"));
    }
    restores.set(path, [...lately, now()]);
    const fault = await putBack(file, "text" in read ? read.text : undefined);
    if (fault !== undefined) return tell(path, hooksRemoved(runtime, path, off, "reported", fault));
    told.delete(path);
    report(hooksRemoved(runtime, path, off, "restored"));
  }

  /** Returns the reason on failure, `undefined` on success. */
  async function putBack(file: Watched, text: string | undefined): Promise<string | undefined> {
    const { path, runtime, kind, good, within } = file;
    if (within !== undefined && (await leavesFolder(path, within))) return "a link leads it out of the project";
    const whole = kind.restore(text, good);
    if (whole === undefined || kind.off(whole, good) !== undefined) return "the current file cannot be repaired";
    try {
      await writeSettings(path, whole);
      if (runtime === LAUNCHER) await chmod(path, 0o700);
      paths.seen(path);
      return undefined;
    } catch (error) {
      return errorText(error);
    }
  }

  /** Saves the person's current file as the version to restore later. */
  async function keepGood(path: string, text: string): Promise<void> {
    if (setup?.files.some((file) => file.path === path) !== true) return;
    const known = setup;
    const files = (before: Setup) => before.files.map((file) => (file.path === path ? { ...file, text } : file));
    setup = await changeSetup(home, (before) => ({ ...before, files: files(before) }), known);
    paths.seen(setupFile(home));
  }

  /** Reports once until the problem changes. */
  function tell(key: string, one: GuardReport): void {
    if (told.get(key) === one.message) return;
    told.set(key, one.message);
    report(one);
  }

  void look();
  return {
    look,
    enterProject(runtime, folder) {
      const key = `${runtime} ${folder}`;
      const isNew = !projects.delete(key);
      projects.set(key, { runtime, folder });
      dropOldest(projects, PROJECTS);
      if (isNew) void look();
    },
    close() {
      isClosed = true;
      clearInterval(timer);
      paths.close();
    },
  };
}

/** Makes a file readable again if its owner may not read it: the runtime could not read it either. */
async function readAgain(path: string): Promise<{ readonly text: string | undefined } | { readonly fault: string }> {
  try {
    return { text: await readSettings(path) };
  } catch {
    await chmod(path, 0o600).catch(() => undefined);
  }
  try {
    return { text: await readSettings(path) };
  } catch (error) {
    return { fault: `it cannot be read (${errorText(error)})` };
  }
}

type RuntimesChecked = { readonly setup: Setup; readonly reports: readonly GuardReport[] };

/**
 * Compares `runtimes.json` with the signed record. A change that loosens an enforced runtime is reverted; others are
 * accepted and reported.
 */
async function checkRuntimes(home: string, known: Setup): Promise<RuntimesChecked> {
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
    ([name]) => `${name} is ${now[name]?.enforcement === "shadow" ? "only observed" : "configured differently"}`,
  );
  const others = isSameJson(after, setup.runtimes)
    ? []
    : [report(file, "a runtime is configured differently", "reported")];
  const restored = what.length === 0 ? [] : [report(file, what.join(", "), "restored")];
  return { setup: signed, reports: [...restored, ...others] };
}

function report(file: string, what: string, outcome: GuardReport["outcome"]): GuardReport {
  const fix =
    "To only observe a runtime, run: conduct enforce RUNTIME --shadow. To use another agent, run: conduct init RUNTIME --agent NAME";
  return setupChanged(file, what, outcome, fix);
}

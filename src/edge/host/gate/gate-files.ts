import { spawnSync } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { replaceFile } from "../workspace/own-files.ts";
import { gatePlace, hasGate, NO_GATE_ON_WINDOWS } from "./gate-place.ts";
import { environmentScript, GATED_PROGRAMS, gitAsker, gitShim, runnerShim } from "./shim-scripts.ts";

/** Lets its bearer ask about programs, and nothing else: the daemon's own token stays out of the agent's reach. */
export function execToken(token: string): string {
  return createHmac("sha256", token).update("exec gate").digest("hex");
}

/**
 * Writes the shims of the programs that are in `path`: a shim for a missing one would tell scripts that it is there.
 * Those of other paths stay, unless `exact`. Returns whether anything was written.
 */
export function writeGate(home: string, path: string = process.env.PATH ?? "", exact?: "exact"): boolean {
  const { folder, bin, env } = gatePlace(home);
  mkdirSync(bin, { recursive: true, mode: 0o700 });
  let changed = false;
  const files = [
    ...Object.entries(programsOf(folder)).map(([name, text]) => [join(folder, name), text, 0o700] as const),
    [env, environmentScript(folder), 0o600],
  ] as const;
  for (const [file, text, mode] of files) {
    if (readText(file) === text && (lstatSync(file).mode & 0o777) === mode) continue;
    replaceFile(file, text);
    chmodSync(file, mode);
    changed = true;
  }
  const folders = path.split(delimiter).filter((one) => isAbsolute(one) && one !== bin);
  const found = new Set(folders.flatMap(namesIn));
  const wanted = new Set(["git", ...GATED_PROGRAMS]);
  noteFolders(home, folders, exact);
  for (const real of new Set(folders.map((one) => join(one, "git")))) changed = writeCore(folder, real) || changed;
  for (const name of namesIn(bin)) {
    if (!wanted.has(name) || (exact !== undefined && !found.has(name))) rmSync(join(bin, name), { force: true });
  }
  for (const name of wanted) {
    const [link, target] = [join(bin, name), name === "git" ? "../git" : "../runner"];
    if (!found.has(name) || linkOf(link) === target) continue;
    rmSync(link, { recursive: true, force: true });
    symlinkSync(target, link);
    changed = true;
  }
  return changed;
}

/** The folders of PATH when a person ran `init` and when sessions started: a runner there is the person's own. */
function noteFolders(home: string, folders: readonly string[], exact?: "exact"): void {
  const known = exact === undefined ? knownFolders(home) : new Set<string>();
  const all = known.union(new Set(folders.map(physical)));
  if (all.size > known.size) replaceFile(gatePlace(home).folders, `${[...all].join("\n")}\n`);
}

function knownFolders(home: string): ReadonlySet<string> {
  return new Set(
    readText(gatePlace(home).folders)
      ?.split("\n")
      .filter((one) => one !== ""),
  );
}

/** Was the file's folder on PATH before any command of an agent could change it? */
export function isOnKnownPath(home: string, file: string): boolean {
  return knownFolders(home).has(dirname(file));
}

function physical(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/**
 * A copy of git's own folder in links, in which `git` is the shim. git puts this folder before PATH for its hooks,
 * editors and aliases, so that the gate sees what they start. Written again when git has changed.
 */
function writeCore(folder: string, real: string): boolean {
  const core = join(folder, "core", real);
  const found = statSync(real, { throwIfNoEntry: false });
  if (found?.isFile() !== true || realpathSync(real) === join(folder, "git")) return false;
  const stamp = `${found.dev} ${found.ino} ${found.size} ${found.mtimeMs}`;
  if (linkOf(join(core, ".stamp")) === stamp && linkOf(join(core, "git")) === join(folder, "git")) return false;
  const { GIT_EXEC_PATH: _, ...env } = process.env;
  const PATH = (env.PATH ?? "").split(delimiter).filter((one) => one !== join(folder, "bin"));
  const asked = { env: { ...env, PATH: PATH.join(delimiter) }, encoding: "utf8", timeout: 5_000 } as const;
  const own = spawnSync(real, ["--exec-path"], asked).stdout?.trim() ?? "";
  if (!isAbsolute(own) || namesIn(own).length === 0 || own.startsWith(folder)) return false;
  const draft = `${core}.${randomUUID()}`;
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  for (const name of namesIn(own)) if (name !== "git") symlinkSync(join(own, name), join(draft, name));
  for (const [name, to] of [
    ["git", join(folder, "git")],
    [".real", own],
    [".stamp", stamp],
  ] as const)
    symlinkSync(to, join(draft, name));
  const before = `${draft}.before`;
  try {
    if (existsSync(core)) renameSync(core, before);
    renameSync(draft, core);
  } catch {
    // Another process has just written it.
    rmSync(draft, { recursive: true, force: true });
  }
  rmSync(before, { recursive: true, force: true });
  return true;
}

function programsOf(folder: string): { readonly [name: string]: string } {
  return {
    git: gitShim(folder),
    "ask-git": gitAsker(folder),
    runner: runnerShim(folder),
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Why programs would not be gated, for `doctor`; empty if they would. */
export function gateFaults(home: string, platform: NodeJS.Platform = process.platform): readonly string[] {
  if (!hasGate(platform)) return [NO_GATE_ON_WINDOWS];
  const { folder, bin } = gatePlace(home);
  const good = Object.entries(programsOf(folder)).every(([name, text]) => readText(join(folder, name)) === text);
  if (!good) return [`the programs in ${folder} are missing or outdated`];
  if (linkOf(join(bin, "git")) !== "../git") return [`${join(bin, "git")} is missing`];
  return existsSync("/bin/bash") ? [] : ["/bin/bash is missing: no program can be gated"];
}

/** A workspace with a live session. */
type Gated = { readonly root: string; readonly session: string; readonly enforced: boolean };

/** Older workspaces are no longer gated by the shims. */
const MAX_ROOTS = 64;
const HINT_MS = 2_000;

/** The workspaces that shims gate. A daemon that is replaced leaves them to the next one. */
export class GatedWorkspaces {
  readonly #home: string;
  readonly #file: string;
  readonly #address: string;
  readonly #roots = new Map<string, Gated>();
  readonly #rootOf = new Map<string, string>();
  #wroteAt = Number.NEGATIVE_INFINITY;

  constructor(home: string, { port, token }: { readonly port: number; readonly token: string }) {
    this.#home = home;
    this.#file = gatePlace(home).sessions;
    this.#address = `${port} ${execToken(token)}`;
    for (const line of readText(this.#file)?.split("\n").slice(1) ?? []) {
      const [mode, session = "", ...rest] = line.split("\t");
      const root = rest.join("\t");
      if (root !== "") this.#roots.set(root, { root, session, enforced: mode === "e" });
    }
    this.#write();
  }

  /** Called with every hook of a session, before a program of its call can start. */
  note(folder: string, session: string, enforced: boolean): void {
    const root = this.rootOf(folder);
    if (/[\n]/.test(root) || /[\t\n]/.test(session)) return;
    const known = this.#roots.get(root);
    if (known?.session === session && known.enforced === enforced) return;
    const isKnown = known?.enforced === enforced;
    this.#roots.delete(root);
    this.#roots.set(root, { root, session, enforced });
    for (const oldest of [...this.#roots.keys()].slice(0, -MAX_ROOTS)) this.#roots.delete(oldest);
    // Several sessions in one repository take turns: which one is only a hint, so the file is not written each time.
    if (!isKnown || performance.now() - this.#wroteAt > HINT_MS) this.#write();
  }

  isOnKnownPath(file: string): boolean {
    return isOnKnownPath(this.#home, file);
  }

  /** The repository around a session's folder: git changes all of it. */
  rootOf(folder: string): string {
    const known = this.#rootOf.get(folder);
    if (known !== undefined) return known;
    let at = folder;
    while (!existsSync(join(at, ".git")) && dirname(at) !== at) at = dirname(at);
    const root = existsSync(join(at, ".git")) ? at : folder;
    this.#rootOf.set(folder, root);
    return root;
  }

  #write(): void {
    this.#wroteAt = performance.now();
    const lines = [...this.#roots.values()].map(
      ({ root, session, enforced }) => `${enforced ? "e" : "s"}\t${session}\t${root}`,
    );
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      replaceFile(this.#file, `${[this.#address, ...lines].join("\n")}\n`);
    } catch {
      // Without the file nothing is gated; `conduct doctor` says so. Hooks go on.
    }
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

import { execFile } from "node:child_process";
import { accessSync, constants, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { errorText } from "../../../base/kernel/error-text.ts";
import { bubblewrap } from "./bubblewrap.ts";
import { type MachineViewOptions, viewMachine } from "./machine-view.ts";
import type { Sandbox, WrapCommand } from "./sandbox.ts";
import { seccompFilter } from "./seccomp-filter.ts";

const run = promisify(execFile);
/** A machine under load is slow; a sandbox that hangs is none. */
const TRIAL_MS = 20_000;
const INSTALL = "install one: apt-get install bubblewrap (dnf, apk and pacman have it too)";
const FAILS = "see docs/gateway.md, section Sandbox";

export type FindSandboxOptions = MachineViewOptions & {
  /** Where the filter for system calls is written; a folder of the gateway's own that lasts as long as it does. */
  readonly folder: string;
};

/**
 * Finds the sandbox of this machine by running it once, with everything that later commands rely on. Throws only when
 * `programs` names a folder that must not be shown.
 */
export async function findSandbox(options: FindSandboxOptions): Promise<Sandbox> {
  const view = viewMachine(options);
  if (process.platform !== "linux")
    return none(`there is none for ${process.platform}`, "run the gateway on Linux, in a virtual machine for example");
  const program = findProgram("bwrap", options.env);
  if (program === undefined) return none("bubblewrap is not installed", INSTALL);
  const filter = seccompFilter(process.arch);
  if (filter === undefined)
    return none(`no filter for system calls on ${process.arch}`, "run the gateway on x64 or arm64");
  try {
    const { stdout } = await run(program, ["--version"], { env: {}, timeout: TRIAL_MS });
    const version = /\d[\w.]*/.exec(stdout)?.[0] ?? "of unknown version";
    const wrap = bubblewrap({
      program,
      filter: writeFilter(options.folder, filter),
      bridge: join(import.meta.dirname, "network-bridge.mjs"),
      view,
      env: options.env,
    });
    const fault = await tryOut(wrap, options.home);
    return fault === undefined ? { kind: "bubblewrap", version, wrap } : none(`bubblewrap ${version} ${fault}`, FAILS);
  } catch (error) {
    return none(`bubblewrap does not run: ${reasonOf(error)}`, FAILS);
  }
}

function none(why: string, fix: string): Sandbox {
  return { kind: "none", why, fix };
}

/** Says what does not hold in the sandbox; rejects when it does not start. */
async function tryOut(wrap: WrapCommand, home: string): Promise<string | undefined> {
  const workspace = mkdtempSync(join(tmpdir(), "conduct-sandbox-"));
  const secret = mkdtempSync(join(tmpdir(), "conduct-secret-"));
  // It can write where it works; it sees neither Conduct's home nor other folders nor our processes; /proc/sys and / are read-only.
  const script = `echo ok >trial || echo "cannot write to its folder"
    { [ -e "$1" ] && [ -n "$(ls -A "$1")" ]; } && echo "shows CONDUCT_HOME"
    [ -e "$2" ] && echo "shows the machine's files"
    [ -e /proc/$3/exe ] && [ "$3" -gt 100 ] && echo "shows the machine's processes"
    { [ -w /proc/sys/kernel/core_pattern ] || [ -w / ] || [ -w /usr ]; } && echo "can write to the machine"
    grep -q "^Seccomp:.*2" /proc/self/status || echo "has no filter for system calls"
    grep -q "^CapEff:.*[1-9a-f]" /proc/self/status && echo "leaves capabilities"
    [ "$(tail -n +3 /proc/net/dev | grep -vc "^ *lo:")" = 0 ] || echo "has a network"`;
  try {
    const command = ["/bin/sh", "-c", script, "sh", home, secret, String(process.pid)];
    const { file, args, env } = wrap(command, { workspace });
    const { stdout } = await run(file, [...args], { cwd: workspace, env, timeout: TRIAL_MS }).catch((error) => {
      if (String(error.stderr ?? "") !== "") throw error;
      return { stdout: String(error.stdout ?? "") || String(error) };
    });
    return stdout.trim() === "" ? undefined : stdout.trim().split("\n").join(", ");
  } finally {
    rmSync(workspace, { recursive: true, force: true });
    rmSync(secret, { recursive: true, force: true });
  }
}

function findProgram(name: string, { PATH = "" }: NodeJS.ProcessEnv): string | undefined {
  const places = PATH.split(delimiter).filter((folder) => isAbsolute(folder));
  return places
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Whole or not at all: commands of another gateway may be reading it. */
function writeFilter(folder: string, filter: Buffer): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "sandbox.bpf");
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, filter, { mode: 0o600 });
  renameSync(draft, file);
  return file;
}

function reasonOf(error: unknown): string {
  const told = String((error as { readonly stderr?: unknown }).stderr ?? "").trim();
  return (told || errorText(error)).split("\n").at(-1) ?? "";
}

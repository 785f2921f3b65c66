import { execFile } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { errorText } from "../../../base/kernel/error-text.ts";
import { programFile } from "../node/package-files.ts";
import { replaceFile } from "../workspace/own-files.ts";
import { bubblewrap } from "./bubblewrap.ts";
import { type MachineViewOptions, viewMachine } from "./machine-view.ts";
import type { Sandbox, WrapCommand } from "./sandbox.ts";

/** System call numbers used by the filter, and the kernel's id of the processor architecture. */
type Numbers = { readonly arch: number; readonly socket: number; readonly refused: readonly number[] };

/**
 * Denied calls: keyctl and relatives would inherit the gateway's session keyring; io_uring opens sockets past any
 * filter; bpf, perf_event_open, userfaultfd, kexec and open_by_handle_at serve exploits, not agents. The rest mounts
 * or changes namespaces.
 */
const NUMBERS: { readonly [processor: string]: Numbers } = {
  x64: {
    arch: 0xc000003e,
    socket: 41,
    refused: [
      248, 249, 250, 425, 426, 427, 321, 298, 323, 246, 320, 304, 165, 166, 155, 428, 429, 430, 431, 432, 433, 442, 272,
      308,
    ],
  },
  arm64: {
    arch: 0xc00000b7,
    socket: 198,
    refused: [
      217, 218, 219, 425, 426, 427, 280, 241, 282, 104, 294, 265, 40, 39, 41, 428, 429, 430, 431, 432, 433, 442, 97,
      268,
    ],
  },
};

/**
 * unix, IPv4, IPv6 and netlink. All others are denied: a network namespace does not cover AF_VSOCK, which reaches the
 * host of a virtual machine.
 */
const FAMILIES = [1, 2, 10, 16] as const;

const [LOAD, EQUAL, AT_LEAST, RETURN] = [0x20, 0x15, 0x35, 0x06];
const [AT_NUMBER, AT_ARCH, AT_FIRST_ARGUMENT] = [0, 4, 16];
const [ALLOW, KILL, ERRNO] = [0x7fff0000, 0x80000000, 0x00050000];
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];
/** x32 calls have different numbers, so a filter by number would miss them. */
const X32 = 0x40000000;

type Step = { readonly code: number; readonly k: number; readonly yes?: number; readonly no?: number };

/** The seccomp program (classic BPF) for a processor; `undefined` if its system calls are unknown. */
export function seccompFilter(processor: string): Buffer | undefined {
  const numbers = NUMBERS[processor];
  if (numbers === undefined) return undefined;
  const { arch, socket, refused } = numbers;
  const refuse = (error: number): Step => ({ code: RETURN, k: ERRNO | error });
  const steps: readonly Step[] = [
    { code: LOAD, k: AT_ARCH },
    { code: EQUAL, k: arch, yes: 1 },
    { code: RETURN, k: KILL },
    { code: LOAD, k: AT_NUMBER },
    { code: AT_LEAST, k: X32, no: 1 },
    refuse(ENOSYS),
    ...refused.flatMap((number): Step[] => [{ code: EQUAL, k: number, no: 1 }, refuse(EPERM)]),
    { code: EQUAL, k: socket, yes: 1 },
    { code: RETURN, k: ALLOW },
    { code: LOAD, k: AT_FIRST_ARGUMENT },
    ...FAMILIES.flatMap((family): Step[] => [
      { code: EQUAL, k: family, no: 1 },
      { code: RETURN, k: ALLOW },
    ]),
    refuse(EAFNOSUPPORT),
  ];
  return Buffer.concat(steps.map(encode));
}

function encode({ code, k, yes = 0, no = 0 }: Step): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(yes, 2);
  bytes.writeUInt8(no, 3);
  bytes.writeUInt32LE(k >>> 0, 4);
  return bytes;
}

const run = promisify(execFile);
/** Long enough for a loaded machine; a sandbox that hangs counts as none. */
const TRIAL_MS = 20_000;
const INSTALL = "install one: apt-get install bubblewrap (dnf, apk and pacman have it too)";
const FAILS = "check it again with conduct doctor";

type FindSandboxOptions = MachineViewOptions & {
  /** Folder for the seccomp filter; owned by the gateway and alive as long as it. */
  readonly folder: string;
};

/**
 * Detects this machine's sandbox by running it once with everything that later commands need. Throws only if
 * `programs` names a folder that must not be shown.
 */
export async function findSandbox(options: FindSandboxOptions): Promise<Sandbox> {
  const view = viewMachine(options);
  if (process.platform !== "linux")
    return none(
      `no sandbox is available for ${process.platform}`,
      "run the gateway on Linux, in a virtual machine for example",
    );
  const program = findProgram("bwrap", options.env);
  if (program === undefined) return none("bubblewrap is not installed", INSTALL);
  const filter = seccompFilter(process.arch);
  if (filter === undefined)
    return none(`no system call filter exists for ${process.arch}`, "run the gateway on x64 or arm64");
  try {
    const { stdout } = await run(program, ["--version"], { env: {}, timeout: TRIAL_MS });
    const version = /\d[\w.]*/.exec(stdout)?.[0] ?? "of unknown version";
    const wrap = bubblewrap({
      program,
      filter: writeFilter(options.folder, filter),
      bridge: programFile("edge/host/sandbox/network-bridge.mjs", "network-bridge.mjs"),
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

/** Returns the guarantees that the sandbox breaks; rejects if it does not start. */
async function tryOut(wrap: WrapCommand, home: string): Promise<string | undefined> {
  const workspace = mkdtempSync(join(tmpdir(), "conduct-sandbox-"));
  const secret = mkdtempSync(join(tmpdir(), "conduct-secret-"));
  // Checks: the workspace is writable; Conduct's home, other folders and our processes are invisible; /proc/sys and /
  // are read-only.
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

/** Written atomically, because commands of another gateway may be reading it. */
function writeFilter(folder: string, filter: Buffer): string {
  const file = join(folder, "sandbox.bpf");
  replaceFile(file, filter);
  return file;
}

function reasonOf(error: unknown): string {
  const told = String((error as { readonly stderr?: unknown }).stderr ?? "").trim();
  return (told || errorText(error)).split("\n").at(-1) ?? "";
}

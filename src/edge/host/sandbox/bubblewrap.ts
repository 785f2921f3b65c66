import { INSIDE, type MachineView } from "./machine-view.ts";
import type { SandboxPlace, WrapCommand, WrappedCommand } from "./sandbox.ts";

/** Port of the bridge to the proxy, on the sandbox's own loopback device. */
const BRIDGE_PORT = 3128;
const HOME = "/home/agent";
const MIB = 1024 * 1024;
/** Size limits in bytes of in-memory folders, which are deleted when the command ends. */
const MEMORY_FOLDERS = [
  [HOME, 256 * MIB],
  ["/tmp", 1024 * MIB],
] as const;

/**
 * Runs before the sandbox: makes these processes the first victims of the OOM killer and opens the seccomp filter as
 * fd 3. A missing filter ends the shell, so nothing runs without one.
 */
const OUTER = 'echo 1000 >/proc/self/oom_score_adj; exec 3<"$1"; shift; exec "$@"';

/**
 * Runs in the sandbox: no core files, no file over 1 GiB, 1,024 processes (-u in bash, -p in dash; no limit for root).
 */
const INNER = 'ulimit -c 0; ulimit -f 2097152; ulimit -u 1024 2>/dev/null || ulimit -p 1024 2>/dev/null; exec "$@"';

export type BubblewrapOptions = {
  /** Path of `bwrap`. */
  readonly program: string;
  /** Path of the seccomp filter. */
  readonly filter: string;
  /** Path of `network-bridge.mjs`. */
  readonly bridge: string;
  readonly view: MachineView;
  /** Source of the language, time zone and terminal variables. */
  readonly env: NodeJS.ProcessEnv;
};

/**
 * Wraps commands in bubblewrap: separate user, process, network, ipc and host namespaces, and only the files in
 * `view`.
 */
export function bubblewrap({ program, filter, bridge, view, env }: BubblewrapOptions): WrapCommand {
  return (command, place): WrappedCommand => {
    const started = place.proxy === undefined ? command : bridged(command);
    const args = [...bubblewrapArguments(view, place, bridge), "--", "/bin/sh", "-c", INNER, "sh", ...started];
    return {
      file: "/bin/sh",
      args: ["-c", OUTER, "sh", filter, program, ...args],
      env: environment(env, view.path, place),
    };
  };
}

/** Pure: returns the arguments before the command. Later mounts cover earlier ones. */
export function bubblewrapArguments(view: MachineView, place: SandboxPlace, bridge: string): readonly string[] {
  const { workspace, proxy } = place;
  const shown = view.shown.flatMap((one) =>
    one.kind === "mount" ? ["--ro-bind", one.from, one.at] : ["--symlink", one.to, one.at],
  );
  return [
    ...["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...["--disable-userns", "--uid", "1000", "--gid", "1000", "--hostname", "sandbox", "--cap-drop", "ALL"],
    ...["--new-session", "--die-with-parent", "--seccomp", "3"],
    ...shown,
    ...view.hidden.flatMap((folder) => ["--tmpfs", folder]),
    // Read-only: even without capabilities, root may write to /proc/sys, which belongs to the machine.
    ...["--proc", "/proc", "--remount-ro", "/proc"],
    ...["--dev", "/dev", "--size", String(64 * MIB), "--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"],
    ...MEMORY_FOLDERS.flatMap(([folder, bytes]) => ["--size", String(bytes), "--perms", "1777", "--tmpfs", folder]),
    ...(proxy === undefined ? [] : ["--ro-bind", proxy.socket, `${INSIDE}/proxy.sock`]),
    ...(proxy === undefined ? [] : ["--ro-bind", bridge, `${INSIDE}/bridge.mjs`]),
    ...["--bind", workspace, workspace, "--remount-ro", "/", "--chdir", workspace],
  ];
}

function bridged(command: readonly string[]): readonly string[] {
  const bridge = [`${INSIDE}/bin/node`, `${INSIDE}/bridge.mjs`, `${INSIDE}/proxy.sock`, String(BRIDGE_PORT)];
  return [...bridge, ...command];
}

const PASSED = /^(?:TERM|TZ|LANG|LANGUAGE|LC_\w+)$/;

/**
 * The complete environment of a command. Conduct's commands refuse to change governance where `CONDUCT_SESSION` is
 * set.
 */
function environment(env: NodeJS.ProcessEnv, path: string, { proxy }: SandboxPlace): WrappedCommand["env"] {
  const passed = Object.entries(env).flatMap(([name, value]) =>
    PASSED.test(name) && value !== undefined ? [[name, value] as const] : [],
  );
  const account = { HOME, USER: "agent", LOGNAME: "agent", SHELL: "/bin/sh", TMPDIR: "/tmp" };
  return {
    ...Object.fromEntries(passed),
    ...account,
    PATH: path,
    CONDUCT_SESSION: "gateway",
    ...(proxy === undefined ? {} : proxyVariables(proxy.loopback)),
  };
}

function proxyVariables(loopback: boolean): { readonly [name: string]: string } {
  const url = `http://127.0.0.1:${BRIDGE_PORT}`;
  const direct = loopback ? "" : "localhost,127.0.0.1,::1";
  const names = { http_proxy: url, https_proxy: url, all_proxy: url, no_proxy: direct };
  const upper = Object.entries(names).map(([name, value]) => [name.toUpperCase(), value]);
  // Node's own fetch uses the proxy only with this variable.
  return { ...names, ...Object.fromEntries(upper), NODE_USE_ENV_PROXY: "1" };
}

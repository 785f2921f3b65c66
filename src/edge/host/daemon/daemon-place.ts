import { join, resolve } from "node:path";

/** The system truncates longer socket paths, so they would name another socket. */
const MAX_SOCKET_BYTES = 100;

/** Paths of the daemon of one home. Imports only Node's own modules, because every hook loads this file. */
export type DaemonPlace = {
  readonly home: string;
  /** In a folder that only this account can enter. */
  readonly socket: string;
  readonly log: string;
  /** File with the port and token of the HTTP server. */
  readonly settings: string;
};

/** Depends only on the home, never on the environment, so every process gets the same paths. */
export function daemonPlace(home: string): DaemonPlace {
  const folder = resolve(home);
  const wanted = join(folder, "run", "daemon.sock");
  return {
    home: folder,
    socket: Buffer.byteLength(wanted) <= MAX_SOCKET_BYTES ? wanted : shortSocket(folder),
    log: join(folder, "run", "daemon.log"),
    settings: join(folder, "daemon.json"),
  };
}

/** In a folder that belongs to this account; callers check the owner. */
function shortSocket(home: string): string {
  // Loaded lazily: few homes have such a long path, and every import delays the hook.
  const { hash } = process.getBuiltinModule("node:crypto");
  return `/tmp/conduct-${process.getuid?.() ?? 0}-${hash("sha256", home).slice(0, 16)}/daemon.sock`;
}

/** Version that a daemon reports once the code it runs is no longer the installed one. */
export function oldVersion(version: string): string {
  return `${version}+old`;
}

/** A client replaces a daemon of another version, but never a newer one. */
export function isReplaceable(daemon: string, own: string): boolean {
  return daemon !== own && compareVersions(own, daemon) >= 0;
}

/** Orders versions such as 1.10.0 and 1.10.0-beta.2. Text after `+` does not count. */
export function compareVersions(one: string, other: string): number {
  const [a = [], b = []] = [one, other].map(versionParts);
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [left = "", right = ""] = [a[at], b[at]];
    const areNumbers = /^\d+$/.test(left) && /^\d+$/.test(right);
    const order = areNumbers ? Number(left) - Number(right) : left < right ? -1 : left > right ? 1 : 0;
    if (order !== 0) return order;
  }
  return 0;
}

/** A release comes after its prereleases: `~` comes after every letter. */
function versionParts(version: string): readonly string[] {
  const [core = "", prerelease = "~"] = version.replace(/\+.*/s, "").split(/-(.*)/s);
  return [...core.split("."), ...prerelease.split(".")];
}

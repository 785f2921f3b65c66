import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

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

/** Root folder of this package, also when this file was bundled into `dist`. */
export function packageFolder(): string {
  const here = import.meta.dirname;
  return basename(here) === "dist" ? dirname(here) : resolve(here, "../../../..");
}

/** The `conduct` program of this package, which starts the daemon. */
export function conductProgram(): string {
  const program = join(packageFolder(), "src", "apps", "cli", "conduct.mjs");
  if (!existsSync(program)) throw new Error(`${program} does not exist: reinstall Conduct`);
  return program;
}

/** The version in package.json. A daemon of another version is replaced. */
export function conductVersion(): string {
  const stated: unknown = JSON.parse(readFileSync(join(packageFolder(), "package.json"), "utf8"));
  return typeof stated === "object" && stated !== null && "version" in stated ? String(stated.version) : "unknown";
}

/** Version that a daemon reports once the code it runs is no longer the installed one. */
export function oldVersion(version: string): string {
  return `${version}+old`;
}

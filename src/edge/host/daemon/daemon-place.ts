import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** Longer paths of sockets are cut by the system, and then name another one. */
const MAX_SOCKET_BYTES = 100;

/** Where the daemon of one home is found. Loads Node's own modules only: it is on the way of every hook. */
export type DaemonPlace = {
  readonly home: string;
  /** Lies in a folder that only this account may enter. */
  readonly socket: string;
  readonly log: string;
  /** Port and token of its http side. */
  readonly settings: string;
};

/** The same for every process, whatever its environment: only the home counts. */
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

/** In a folder of this account's own; whoever uses it checks that it is. */
function shortSocket(home: string): string {
  // Loaded here: hardly any home is that long, and every hook waits for what it loads.
  const { hash } = process.getBuiltinModule("node:crypto");
  return `/tmp/conduct-${process.getuid?.() ?? 0}-${hash("sha256", home).slice(0, 16)}/daemon.sock`;
}

/** The folder of the package that this file belongs to, also when it was bundled into `dist`. */
export function packageFolder(): string {
  const here = import.meta.dirname;
  return basename(here) === "dist" ? dirname(here) : resolve(here, "../../../..");
}

/** What starts the daemon: the `conduct` of the same package. */
export function conductProgram(): string {
  const program = join(packageFolder(), "src", "apps", "cli", "conduct.mjs");
  if (!existsSync(program)) throw new Error(`there is no ${program}: install Conduct again`);
  return program;
}

/** The version that the package states. A daemon of another one is replaced. */
export function conductVersion(): string {
  const stated: unknown = JSON.parse(readFileSync(join(packageFolder(), "package.json"), "utf8"));
  return typeof stated === "object" && stated !== null && "version" in stated ? String(stated.version) : "unknown";
}

/** What a daemon says it is when the code of its version is not what it runs any more. */
export function oldVersion(version: string): string {
  return `${version}+old`;
}

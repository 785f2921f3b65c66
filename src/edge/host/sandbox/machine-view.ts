import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { programFile } from "../node/package-files.ts";

/** A part of the machine that every sandbox mounts read-only. */
export type Shown =
  | { readonly kind: "mount"; readonly from: string; readonly at: string }
  | { readonly kind: "link"; readonly to: string; readonly at: string };

/** The parts of the machine that sandboxes can see. */
export type MachineView = {
  readonly shown: readonly Shown[];
  /** Folders inside visible ones that are covered by an empty folder. */
  readonly hidden: readonly string[];
  /** `PATH` of the commands; contains only visible folders. */
  readonly path: string;
};

export type MachineViewOptions = {
  /** `CONDUCT_HOME`. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Additional folders made visible by the operator: `gateway.programs`. */
  readonly programs?: readonly string[] | undefined;
  readonly node?: string;
};

/** Mount point of Conduct's own files in a sandbox. */
export const INSIDE = "/run/conduct";

const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"] as const;

/** The parts of /etc that programs need. The rest contains passwords, keys and names of other machines. */
const ETC = [
  "alternatives",
  "ca-certificates",
  "crypto-policies",
  "fonts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "mime.types",
  "nsswitch.conf",
  "os-release",
  "pki/tls/certs",
  "pki/ca-trust/extracted",
  "protocols",
  "services",
  "ssl/certs",
  "ssl/openssl.cnf",
  "terminfo",
  "timezone",
] as const;

/** Our own versions of these files, for the account in the sandbox. */
const ETC_FILES = programFile("edge/host/sandbox/etc", "etc");
const OWN_ETC = ["passwd", "group", "hosts"] as const;

/**
 * Computes what commands can see. Folders on `PATH` are visible unless they are in an account's home or in Conduct's
 * folders, where keys and passwords may be; the operator can add such a folder by name. Throws if that would expose a
 * secret.
 */
export function viewMachine({ home, env, programs = [], node = process.execPath }: MachineViewOptions): MachineView {
  const own = [home, `${home}-work`].map(real);
  const homes = [real(homedir()), real(env.HOME || homedir()), "/root", "/home"];
  for (const folder of programs) checkProgram(folder, own, homes);
  const named = programs.map((folder) => resolve(folder));
  const system = SYSTEM.filter((path) => existsSync(path)).map(showSystem);
  const bases = [...SYSTEM, ...named];
  const onPath = [...new Set((env.PATH ?? "").split(":").filter((folder) => isAbsolute(folder)))].filter(isFolder);
  const more = onPath.filter((folder) => {
    const at = real(folder);
    if (bases.some((base) => isWithin(folder, base) && isWithin(at, real(base)))) return false;
    return at !== "/" && !folder.endsWith("/.bin") && ![...own, ...homes].some((secret) => touches(at, secret));
  });
  const visible = onPath.filter((folder) => more.includes(folder) || bases.some((base) => isWithin(folder, base)));
  const shown: readonly Shown[] = [
    ...system,
    ...ETC.filter((name) => existsSync(`/etc/${name}`)).map((name) => mount(`/etc/${name}`)),
    ...OWN_ETC.map((name) => mount(join(ETC_FILES, name), `/etc/${name}`)),
    ...[...named, ...more].map((folder) => mount(folder)),
    ...showNode(real(node)),
  ];
  const roots = shown.flatMap((one) => (one.kind === "mount" ? [one.at] : []));
  const hidden = [...own, real(homedir()), "/usr/local/etc"].filter(
    (secret) => existsSync(secret) && roots.some((root) => isWithin(secret, root)) && !roots.includes(secret),
  );
  return { shown, hidden, path: [`${INSIDE}/bin`, ...visible].join(":") };
}

function showSystem(path: string): Shown {
  // On most systems /bin is a symlink to usr/bin; a symlink to another place would expose that place.
  if (!lstatSync(path).isSymbolicLink()) return mount(path);
  const to = readlinkSync(path);
  return isWithin(resolve("/", to), "/usr") ? { kind: "link", to, at: path } : mount(path);
}

/** The Node that runs Conduct and its npm. Only these files, because their folder may be in a person's home. */
function showNode(node: string): readonly Shown[] {
  const npm = join(dirname(dirname(node)), "lib", "node_modules", "npm");
  const bin = `${INSIDE}/bin`;
  const runs = mount(node, `${bin}/node`);
  if (!existsSync(join(npm, "bin", "npm-cli.js"))) return [runs];
  const scripts = ["npm", "npx"].map((name) => ({
    kind: "link" as const,
    to: `../lib/npm/bin/${name}-cli.js`,
    at: `${bin}/${name}`,
  }));
  return [runs, mount(npm, `${INSIDE}/lib/npm`), ...scripts];
}

function checkProgram(folder: string, own: readonly string[], homes: readonly string[]): void {
  const at = real(resolve(folder));
  if (!isAbsolute(folder) || !isFolder(folder))
    throw new Error(`gateway.programs: '${folder}' is not a folder; write the absolute path of a folder`);
  const shows = at === "/" ? "/" : own.find((secret) => touches(at, secret));
  const all = shows ?? homes.find((secret) => isWithin(secret, at));
  if (all === undefined) return;
  throw new Error(
    `gateway.programs: '${folder}' would expose ${all} to every command; name a folder of programs inside it`,
  );
}

function mount(from: string, at: string = from): Shown {
  return { kind: "mount", from, at };
}

/** Is one path inside the other? */
function touches(a: string, b: string): boolean {
  return isWithin(a, b) || isWithin(b, a);
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

function isFolder(path: string): boolean {
  return lstatSync(real(path), { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Resolves symlinks; returns the path unchanged if it does not exist yet. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

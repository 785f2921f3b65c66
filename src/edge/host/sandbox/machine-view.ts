import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";

/** A part of the machine that every sandbox shows, read-only. */
export type Shown =
  | { readonly kind: "mount"; readonly from: string; readonly at: string }
  | { readonly kind: "link"; readonly to: string; readonly at: string };

/** What sandboxes show of the machine. */
export type MachineView = {
  readonly shown: readonly Shown[];
  /** Folders inside shown ones that are covered by an empty folder. */
  readonly hidden: readonly string[];
  /** `PATH` of the commands: folders that they can see. */
  readonly path: string;
};

export type MachineViewOptions = {
  /** `CONDUCT_HOME`. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Further folders that the operator wants to show: `gateway.programs`. */
  readonly programs?: readonly string[] | undefined;
  /** The Node that runs Conduct. */
  readonly node?: string;
};

/** Where Conduct's own parts lie inside a sandbox. */
export const INSIDE = "/run/conduct";

const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"] as const;

/** What programs need of /etc. The rest holds passwords, keys and names of other machines. */
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

/** Files of our own for the account inside the sandbox. */
const OWN_ETC = ["passwd", "group", "hosts"] as const;

/**
 * What commands see of this machine. Folders on `PATH` are shown unless they lie in an account's home or in Conduct's own folders:
 * programs there stand next to keys and passwords. An operator shows such a folder by name. Throws when that would show a secret.
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
    ...OWN_ETC.map((name) => mount(join(import.meta.dirname, "etc", name), `/etc/${name}`)),
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
  // Most systems have /bin as a link to usr/bin; a link that leads elsewhere would show that place.
  if (!lstatSync(path).isSymbolicLink()) return mount(path);
  const to = readlinkSync(path);
  return isWithin(resolve("/", to), "/usr") ? { kind: "link", to, at: path } : mount(path);
}

/** The Node that runs Conduct, and the npm that came with it. Only these: their folder may lie in somebody's home. */
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
    throw new Error(`gateway.programs: '${folder}' is not a folder; write the whole path of one`);
  const shows = at === "/" ? "/" : own.find((secret) => touches(at, secret));
  const all = shows ?? homes.find((secret) => isWithin(secret, at));
  if (all === undefined) return;
  throw new Error(`gateway.programs: '${folder}' would show ${all} to every command; name a folder of programs in it`);
}

function mount(from: string, at: string = from): Shown {
  return { kind: "mount", from, at };
}

/** One lies in the other. */
function touches(a: string, b: string): boolean {
  return isWithin(a, b) || isWithin(b, a);
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

function isFolder(path: string): boolean {
  return lstatSync(real(path), { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Without links; as it stands where there is nothing yet. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

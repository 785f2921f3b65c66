/** A package that Conduct does not bring along is needed and missing. The message has the command that installs it. */
export class MissingPackageError extends Error {
  readonly code = "PACKAGE_MISSING";
  /** The command that installs the package. */
  readonly fix: string;
  constructor(name: string, purpose: string, fix: string) {
    super(`${purpose} needs the package ${name}, which is not installed. Run: ${fix}`);
    this.name = "MissingPackageError";
    this.fix = fix;
  }
}

/**
 * Loads a package that only some users need. `load` imports it; `purpose` says who needs it. Rejects with a
 * `MissingPackageError` if the package is not installed.
 */
export async function loadOptional<T>(name: string, purpose: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    throw new MissingPackageError(name, purpose, fixFor(name));
  }
}

/** Where this copy of Conduct is, and who runs it. */
type Installation = { readonly url: string; readonly execPath: string; readonly cwd: string };

/** The command that installs a package where this copy of Conduct finds it. `range`: the versions that work with it. */
export function installCommand(name: string, range: string, { url, execPath, cwd }: Installation): string {
  const path = decodeURIComponent(url.replace(/^file:\/\/(?=\/)/, ""));
  // `^8.23.1` becomes `8`, and `^0.87.1` becomes `0.87`.
  const release = /^\^(0\.\d+|\d+)/.exec(range)?.[1];
  const wanted = release === undefined ? name : `${name}@${release}`;
  const folder = /^(.*?)\/node_modules\//.exec(path)?.[1];
  // A copy that `conduct init` has made: it takes the package from where agent-conduct is installed.
  if (folder === undefined && /\/versions\/[^/]+\/dist\//.test(path))
    return `npm install ${wanted} && npx conduct upgrade --refresh`;
  if (folder === undefined) return "npm install";
  if (path.includes("/.pnpm/")) return `pnpm add ${path.includes("/global/") ? "-g " : ""}${wanted}`;
  if (path.includes("/_npx/")) return `npm install -g agent-conduct ${wanted}`;
  const prefix = /^(.*)\/lib$/.exec(folder)?.[1];
  if (prefix === undefined && !folder.endsWith("/npm")) {
    const isHere = cwd === folder || cwd.startsWith(`${folder}/`);
    return isHere ? `npm install ${wanted}` : `npm install --prefix ${quoted(folder)} ${wanted}`;
  }
  // npm's own default is the folder that contains Node.
  const isDefault = prefix === undefined || execPath === `${prefix}/bin/node`;
  return isDefault ? `npm install -g ${wanted}` : `npm install -g --prefix ${quoted(prefix)} ${wanted}`;
}

function quoted(path: string): string {
  return /^[\w/.@:-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

function fixFor(name: string): string {
  const { url } = import.meta;
  let range = "";
  try {
    // The built file is in `dist`, next to the package.json.
    const manifest = process.getBuiltinModule("node:fs").readFileSync(new URL("../package.json", url), "utf8");
    range = JSON.parse(manifest).peerDependencies?.[name] ?? "";
  } catch {
    // Without a range the newest version is installed.
  }
  return installCommand(name, range, { url, execPath: process.execPath, cwd: process.cwd() });
}

function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "ERR_MODULE_NOT_FOUND" && error.message.includes(`'${name}`);
}

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
    throw new MissingPackageError(name, purpose, installCommand(name, import.meta.url));
  }
}

/** The command that installs a package where this copy of Conduct finds it. */
export function installCommand(name: string, url: string): string {
  if (!url.includes("/node_modules/")) return "npm install";
  const isGlobal = /\/(?:lib|npm)\/node_modules\/agent-conduct\//.test(url);
  return isGlobal ? `npm install -g ${name}` : `npm install ${name}`;
}

function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "ERR_MODULE_NOT_FOUND" && error.message.includes(`'${name}`);
}

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Where the exec gate lies: `bin` is the folder for PATH, `env` the script for BASH_ENV. */
export type GatePlace = {
  readonly folder: string;
  readonly bin: string;
  readonly env: string;
  /** The daemon's address, and the workspaces of live sessions. Every shim reads it. */
  readonly sessions: string;
  /** The folders of PATH when sessions started, one on each line. */
  readonly folders: string;
};

/** The gate consists of shell scripts and symbolic links. */
export const NO_GATE_ON_WINDOWS = "the exec gate needs a POSIX shell, so it is not available on Windows";

export function hasGate(platform: NodeJS.Platform): boolean {
  return platform !== "win32";
}

export function gatePlace(home: string): GatePlace {
  const folder = join(home, "gate");
  const at = (name: string) => join(folder, name);
  return { folder, bin: at("bin"), env: at("env.sh"), sessions: at("sessions"), folders: at("folders") };
}

/** The variables of an agent's shell with the gate; none if `conduct init` has not written it. */
export function gateVariables(
  home: string,
  { PATH = "", BASH_ENV }: { readonly PATH?: string; readonly BASH_ENV?: string },
  session: string,
): { readonly [name: string]: string } {
  const { bin, env } = gatePlace(home);
  if (!existsSync(bin)) return {};
  const others = PATH.split(delimiter).filter((folder) => folder !== bin);
  return {
    PATH: [bin, ...others].join(delimiter),
    CONDUCT_GATE_SESSION: session,
    // A nested login shell resets PATH; bash then reads this file.
    ...(BASH_ENV === undefined || BASH_ENV === "" ? { BASH_ENV: env } : {}),
  };
}

/** The same as lines of a shell script, for a runtime that reads one before each command. */
export function gateScript(home: string, session: string): string {
  const { bin, env } = gatePlace(home);
  if (!existsSync(bin)) return "";
  return [
    `case $PATH in ${quote(bin)}:*) ;; *) export PATH=${quote(bin)}:"$PATH" ;; esac`,
    `export CONDUCT_GATE_SESSION=${quote(session)} BASH_ENV="\${BASH_ENV:-"${env.replace(/["\\$`]/g, "\\$&")}"}"`,
    "",
  ].join("\n");
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

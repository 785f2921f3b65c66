import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";

const VERSION_MS = 20_000;

/** The path of a command on the PATH; `undefined` if not found. */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
  for (const folder of (env.PATH ?? "").split(delimiter)) {
    const found = programNames(name, env).map((one) => join(folder, one));
    const path = folder === "" ? undefined : found.find(isProgram);
    if (path !== undefined) return path;
  }
  return undefined;
}

/** The file names of a command. On Windows npm installs a `.cmd` file next to a shell script that cannot be started. */
export function programNames(
  name: string,
  { PATHEXT }: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): readonly string[] {
  if (platform !== "win32") return [name];
  const endings = (PATHEXT || ".COM;.EXE;.BAT;.CMD").split(";").filter((ending) => ending !== "");
  return endings.map((ending) => `${name}${ending.toLowerCase()}`);
}

/** The version that a program prints; `undefined` if it prints none. */
export function programVersion(program: string, env: NodeJS.ProcessEnv): string | undefined {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { stdout } = spawnSync(program, ["--version"], { env, encoding: "utf8", timeout: VERSION_MS });
  return /\d+\.\d+\.\d+(?:-[\w.]+)?/.exec(stdout ?? "")?.[0];
}

function isProgram(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

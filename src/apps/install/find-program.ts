import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";

const VERSION_MS = 20_000;

/** The path of a command on the PATH; `undefined` if not found. */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
  for (const folder of (env.PATH ?? "").split(delimiter)) {
    const path = join(folder, name);
    if (folder !== "" && isProgram(path)) return path;
  }
  return undefined;
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

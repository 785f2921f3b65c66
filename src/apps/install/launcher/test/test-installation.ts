import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { asList, asObject, asString } from "../../../../base/kernel/json.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { packageFolder } from "../../../../edge/host/node/package-files.ts";

export type Ran = { readonly status: number | null; readonly stdout: string; readonly stderr: string };

/** A copy of Conduct that can be moved away, and an account that it is installed for. */
export function copiedInstallation() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-moved-")));
  const [there, user] = [join(root, "conduct"), join(root, "user")];
  const [home, work] = [join(user, ".conduct"), join(user, "work")];
  mkdirSync(work, { recursive: true });
  mkdirSync(there);
  const checkout = packageFolder();
  for (const name of ["src", "packs", "package.json", "docs/coverage.json"]) {
    mkdirSync(dirname(join(there, name)), { recursive: true });
    cpSync(join(checkout, name), join(there, name), { recursive: true, filter: (path) => !path.endsWith(".test.ts") });
  }
  symlinkSync(realpathSync(join(checkout, "node_modules")), join(there, "node_modules"));
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH ?? "", HOME: user, CONDUCT_HOME: home, NO_COLOR: "1" };
  let place = there;

  const spawned = (command: string, args: readonly string[], input = ""): Ran => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: work, env, input, encoding: "utf8" });
    return { status, stdout, stderr };
  };
  return {
    root,
    user,
    home,
    work,
    env,
    /** Runs `conduct WORDS` from the installation's current folder. */
    conduct: (...words: readonly string[]) =>
      spawned(process.execPath, [join(place, "src/apps/cli/conduct.mjs"), ...words]),
    move(name: string) {
      renameSync(place, join(root, name));
      place = join(root, name);
    },
    /** The hooks for one event in one of the user's settings files. */
    hooks(file: string, event: string): readonly JsonObject[] {
      const { hooks } = JSON.parse(readFileSync(join(user, file), "utf8"));
      return asList(asObject(hooks)[event]).flatMap((group) => asList(asObject(group).hooks).map(asObject));
    },
    runHook: ({ command }: JsonObject, event: object) =>
      spawned("sh", ["-c", asString(command)], JSON.stringify({ session_id: "s", cwd: work, ...event })),
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }),
  };
}

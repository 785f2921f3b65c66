import { COMMANDS } from "../declared/command-tree.ts";

/** How this process was started. `program` is the path of its script. */
type Start = { readonly env: NodeJS.ProcessEnv; readonly program: string; readonly cwd: string };

const IN_CHECKOUT = "/src/apps/cli/conduct.mjs";
const IN_PACKAGE = "/dist/conduct.mjs";

/** The words that run Conduct here: `conduct` if it is on the PATH, else what works without it. */
export function findInvocation({ env, program, cwd }: Start): string {
  const { accessSync, constants, existsSync, realpathSync } = process.getBuiltinModule("node:fs");
  const real = (path: string, access = constants.X_OK) => {
    // Most folders have no such file, and the first error of a process takes a millisecond to make.
    if (!existsSync(path)) return undefined;
    try {
      accessSync(path, access);
      return realpathSync(path);
    } catch {
      return undefined;
    }
  };
  const script = real(program, constants.R_OK) ?? program;
  // npm puts these folders on the PATH of its own children only.
  const folders = (env.PATH ?? "").split(":").filter((one) => one !== "" && !one.endsWith("node_modules/.bin"));
  const onPath = folders.map((folder) => real(`${folder}/conduct`)).find((one) => one !== undefined);
  if (script.endsWith(IN_CHECKOUT)) {
    if (onPath === script) return "conduct";
    const root = script.slice(0, -IN_CHECKOUT.length);
    return cwd === root || cwd.startsWith(`${root}/`)
      ? "npm run -s conduct --"
      : `npm --prefix ${root} run -s conduct --`;
  }
  if (onPath !== undefined || !script.endsWith(IN_PACKAGE)) return "conduct";
  const { HOME = "" } = env;
  const launcher = `${env.CONDUCT_HOME || `${HOME}/.conduct`}/bin/conduct`;
  if (env.npm_lifecycle_event === "npx" || real(launcher) === undefined) return "npx agent-conduct";
  return HOME !== "" && launcher.startsWith(`${HOME}/`) ? `~${launcher.slice(HOME.length)}` : launcher;
}

/**
 * Replaces `conduct COMMAND` by the words that run it here. Only for Conduct's own sentences: commands of an agent and
 * texts that agents read stay as they are.
 */
export function asTyped(text: string, invocation: string): string {
  if (invocation === "conduct") return text;
  return text.replace(/(?<![\w./-])conduct (?=([a-z]+|--help)(?![\w-]))/g, (found, word: string) =>
    word === "--help" || Object.hasOwn(COMMANDS.commands, word) ? `${invocation} ` : found,
  );
}

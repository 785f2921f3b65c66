import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { nearest } from "../../../../base/kernel/nearest.ts";
import type { Agent } from "../../../../base/words/hosting/agent.ts";
import { demoAgent } from "../../../../edge/host/opening/demo-agent.ts";
import { loadConfigFile } from "../../../../edge/host/opening/load-config.ts";
import type { DeclaredChannels } from "../../../../engine/session/session-options.ts";
import { plural, quoted } from "../../../shared/printable.ts";
import type { PromptLintArgs } from "../../declared/develop-commands.ts";
import { failed, type Outcome } from "../../line/outcome.ts";
import { renderFaults } from "../../line/render-faults.ts";
import type { Terminal } from "../../line/terminal.ts";

/** The agents of a prompt command. `file` is missing without a configuration; `texts` are all files read. */
export type PromptAgents = {
  readonly file?: string;
  readonly agents: readonly Agent[];
  readonly channels: DeclaredChannels;
  readonly texts: ReadonlyMap<string, string>;
};

const CONFIG = "conduct.yaml";

/** The agents of `--config`, else of the conduct.yaml in this folder, else the built-in `demo`. */
export async function promptAgents(
  args: PromptLintArgs,
  { cwd, paint }: Terminal,
): Promise<PromptAgents | { readonly outcome: Outcome }> {
  const { config: given } = args;
  if (given === undefined && !existsSync(resolve(cwd, CONFIG))) {
    return { agents: [demoAgent()], channels: {}, texts: new Map() };
  }
  const path = resolve(cwd, given ?? CONFIG);
  const file = path.startsWith(`${cwd}/`) ? relative(cwd, path) : (given ?? CONFIG);
  const loaded = await loadConfigFile(path, file);
  const next = [{ command: `conduct config check ${quoted(file)}`, description: "Check the file" }];
  if ("error" in loaded) return { outcome: { ok: false, ...loaded.error, next } };
  const { parsed, texts } = loaded;
  if (!("faults" in parsed)) return { file, agents: parsed.agents, channels: parsed.channels, texts };
  const message = `${plural(parsed.faults.length, "fault")} in ${file}: there is no prompt before they are corrected`;
  const outcome: Outcome = failed("CONFIG_INVALID", message, "correct these lines first", {
    result: { file, faults: parsed.faults },
    text: `\n${renderFaults(parsed.faults, texts, "fault", paint)}\n  ${paint("red", `✗ ${message}`)}\n\n`,
    next,
  });
  return { outcome };
}

/** The named agent; without a name, the only one. */
export function chosenAgent(
  { agents, file }: PromptAgents,
  given: string | undefined,
): Agent | { readonly message: string; readonly fix: string } {
  const names = agents.map(({ name }) => name);
  const [only] = agents;
  if (given === undefined) {
    if (only !== undefined && agents.length === 1) return only;
    return { message: `which agent? ${file ?? "here"} has ${names.join(", ")}`, fix: `--agent ${names[0]}` };
  }
  const found = agents.find(({ name }) => name === given);
  if (found !== undefined) return found;
  const where = file === undefined ? `there is no ${CONFIG} here, so there is only` : `${file} has`;
  const meant = nearest(given, names) ?? names[0];
  return { message: `no agent '${given}': ${where} ${names.join(", ")}`, fix: `--agent ${meant}` };
}

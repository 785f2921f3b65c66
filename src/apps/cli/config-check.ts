import { relative, resolve } from "node:path";
import { loadConfigFile } from "../../edge/host/load-config.ts";
import type { CommandBody } from "./command.ts";
import type { NextAction } from "./outcome.ts";
import { plural } from "./printable.ts";
import { renderAgents, summariseAgent } from "./render-agents.ts";
import { renderFaults } from "./render-faults.ts";

/** `conduct config check [FILE]` */
export const configCheck: CommandBody = async (args, { cwd, paint }) => {
  const given = String(args.file);
  const path = resolve(cwd, given);
  const file = path.startsWith(`${cwd}/`) ? relative(cwd, path) : given;
  const loaded = await loadConfigFile(path, file);
  if ("error" in loaded) return { ok: false, ...loaded.error, next: [SCHEMA, EXAMPLE] };
  const { texts, parsed } = loaded;
  if ("faults" in parsed) {
    const files = [...new Set(parsed.faults.map((fault) => fault.file))];
    const message = `${plural(parsed.faults.length, "fault")} in ${files.join(", ")}`;
    return {
      ok: false,
      code: "CONFIG_INVALID",
      message,
      fix: "correct these lines and check again",
      result: { file, faults: parsed.faults },
      text: `\n${renderFaults(parsed.faults, texts, "fault", paint)}\n  ${paint("red", `✗ ${message}`)}\n\n`,
      next: [{ command: `conduct config check ${quote(given)}`, description: "Check again" }, SCHEMA],
    };
  }
  const { configs, channels, warnings } = parsed;
  const agents = parsed.agents.map((agent, at) => summariseAgent(agent, configs[at] ?? {}));
  const shown = warnings.length === 0 ? "" : `${renderFaults(warnings, texts, "warning", paint)}\n`;
  return {
    ok: true,
    result: { file, agents, channels, warnings },
    text: `\n${shown}${renderAgents(file, agents, Object.keys(channels), warnings.length, paint)}\n`,
    next: [{ command: "conduct demo", description: "Watch rules like these at work" }],
  };
};

const SCHEMA: NextAction = { command: "conduct config schema", description: "What a conduct.yaml may say" };
const EXAMPLE: NextAction = { command: "conduct demo", description: "See what a conduct.yaml does" };

function quote(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

import type { Approver } from "../../base/ports/approver.ts";
import type { Agent } from "../../base/words/hosting/agent.ts";
import type { ConductPlugin } from "../../base/words/hosting/plugin.ts";
import { parseConfig } from "../../engine/agent/config/parse-config.ts";
import type { Conduct, ConductPorts } from "../../engine/session/conduct.ts";
import type { SessionOptions } from "../../engine/session/session-options.ts";
import type { KitAnswer, KitOutcome, KitRun, RuntimeDriver } from "./driver.ts";

type UserSettings = "config" | "plugin" | "window" | "shadow" | "operator" | "answers";

/** A run for a driver that opens Conduct in its own process, as a developer does, with options instead of files. */
export type LocalRun = Omit<KitRun, UserSettings> & {
  readonly agent: Agent;
  /** Session options. If the runtime reports the window, it reports this one. */
  readonly session?: Partial<SessionOptions>;
  /** Overrides single ports, plugins and channels. */
  readonly ports?: Partial<ConductPorts>;
};

/** A driver of a library: a developer's options, besides what the kit asks for. */
export type LocalDriver = RuntimeDriver & {
  /** Runs an agent with a developer's options. */
  runLocal(run: LocalRun): Promise<KitOutcome>;
};

/** The user of every local run. */
const USER = "ann";

/** Turns what a user configures into the options of `openConduct` and `session`. */
export async function localRun(run: KitRun): Promise<LocalRun> {
  const { config, plugin, window, shadow, operator, answers, ...rest } = run;
  return {
    ...rest,
    agent: kitAgent(config),
    session: {
      user: USER,
      sender: { id: USER, role: operator === true ? "operator" : "user" },
      enforcement: shadow === true ? "shadow" : "enforce",
      ...(window === undefined ? {} : { window }),
    },
    ports: {
      ...(plugin === undefined ? {} : { plugins: [await loadPlugin(plugin)] }),
      ...(answers === undefined ? {} : { approver: answering(answers) }),
    },
  };
}

/** The agent of a conduct.yaml that names no other files. */
export function kitAgent(config: string): Agent {
  const parsed = parseConfig(config, "conduct.yaml");
  if ("faults" in parsed) throw new Error(parsed.faults.map(({ line, message }) => `${line}: ${message}`).join("; "));
  const [agent, ...others] = parsed.agents;
  if (agent === undefined || others.length > 0) throw new Error("a run of the kit needs a file with one agent");
  return agent;
}

async function loadPlugin(text: string): Promise<ConductPlugin> {
  const module = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(text)}`);
  return (module as { readonly default: ConductPlugin }).default;
}

function answering(answers: readonly KitAnswer[]): Approver {
  let asked = 0;
  return {
    async ask() {
      const answer = answers[asked++] ?? "none";
      return answer === "none" ? undefined : { answer, by: USER };
    },
  };
}

const OPERATOR_SESSION = "kit-operator";

/** Is this event of the session in which the operator adds directives? It is not the run's. */
export function isOperators({ session }: { readonly session: string }): boolean {
  return session.startsWith(OPERATOR_SESSION);
}

/** For drivers that open Conduct themselves, before each message: adds the directives of that turn. */
export async function addDirectives(
  { agent, directives = {} }: Pick<LocalRun, "agent" | "directives">,
  turn: number,
  conduct: Conduct,
): Promise<void> {
  const text = directives[turn];
  if (text === undefined) return;
  const sender = { id: "olga", role: "operator" } as const;
  await conduct.session({ agent: agent.name, id: `${OPERATOR_SESSION}-${turn}`, sender }).onMessage({ text });
}

import type { Capability } from "../../../base/words/hosting/capability.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { KitCall, KitReply, KitRun, RuntimeDriver } from "../driver.ts";

/** One behaviour that every adapter must show, or explain why its runtime cannot. Throws a `KitFailure`. */
export type Scenario = {
  readonly id: string;
  readonly title: string;
  readonly needs: readonly Capability[];
  /** Rejects if the runtime does not behave as the scenario requires. */
  run(driver: RuntimeDriver): Promise<void>;
};

export function shell(id: string, command: string): KitCall {
  return { id, tool: "shell", args: { command } };
}

/** A script that runs one command per response, as `call_1` and so on, and then stops. */
export function commands(...lines: readonly string[]): readonly KitReply[] {
  return [...lines.map((line, at) => ({ calls: [shell(`call_${at + 1}`, line)] })), { text: "Done." }];
}

/** Runs the commands of a script in a workspace with these files. */
export function play(driver: RuntimeDriver, config: string, files: KitRun["files"], ...lines: readonly string[]) {
  return driver.run({ config, message: "Do it.", files, script: commands(...lines) });
}

/** The text of a conduct.yaml with this agent. Its values are written as JSON, which is YAML too. */
export function configOf(name: string, agent: JsonObject = {}): string {
  const keys = Object.entries(agent).map(([key, value]) => `    ${key}: ${JSON.stringify(value)}\n`);
  return `agents:\n  ${name}:${keys.length === 0 ? " {}" : ""}\n${keys.join("")}`;
}

/** An agent whose `deploy` needs a `test` first. */
export function releaseConfig(more: JsonObject = {}): string {
  return configOf("release", {
    actions: { test: { tool: "shell", command: "sh test.sh" }, deploy: { tool: "shell", command: "sh deploy.sh" } },
    policies: [{ sequential: { deploy: ["test"] } }],
    ...more,
  });
}

export const RELEASE_FILES = {
  "deploy.sh": "echo deployed > deployed.txt; echo deployed",
  "test.sh": "echo all green",
};

/** 900 lines are about 9,000 tokens: over 30 % of a window of 8,000, but below the runtimes' own limits. */
export function numberedLines(count: number): string {
  return Array.from({ length: count }, (_, i) => `line ${i + 1}: the quick brown fox ${i * 7919}`).join("\n");
}

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PromptContributor } from "../../../base/words/prompt.ts";
import { characterCounter } from "../../results/token-counter.ts";
import { buildAgentPrompt } from "../build-agent-prompt.ts";
import { PromptContributorRegistry } from "../contributor-registry.ts";
import { agentSections, builtinContributors } from "./builtin-contributors.ts";
import { CASES, CLASSIFIED, DEFAULT_AGENT, type GoldenCase, TAGGED } from "./test/golden-cases.ts";
import { testAgent, testContext } from "./test/test-context.ts";

const FOLDER = join(import.meta.dirname, "golden");

const GIVEN = {
  prerequisites: () => [
    "send_mail: only after read_file",
    "write_file: only after read_file [same path, unchanged since]",
  ],
  checkpoints: [
    { name: "verify_context", description: "Returns what to check before you go on." },
    { name: "review_plan", description: "Returns how to review a plan before you act on it." },
  ],
};

function build({ agent = DEFAULT_AGENT, context, layout = "cache" }: GoldenCase, more: readonly PromptContributor[]) {
  const registry = new PromptContributorRegistry();
  const defined = testAgent(agent);
  for (const one of builtinContributors(defined, GIVEN)) registry.register(one, "builtin");
  for (const one of agentSections(defined)) registry.register(one, "agent");
  for (const one of more) registry.register(one, "config");
  return buildAgentPrompt(registry, testContext(context), { counter: characterCounter, layout });
}

describe("golden prompts", () => {
  it.each(CASES)("G01: the prompt $file matches its golden file", async (one) => {
    await expect(`${build(one, []).text}\n`).toMatchFileSnapshot(join(FOLDER, `${one.file}.txt`));
  });

  it.each(CLASSIFIED)("G12: the classified prompt $file matches its golden file", async (one) => {
    await expect(`${build(one, TAGGED).text}\n`).toMatchFileSnapshot(join(FOLDER, `${one.file}.txt`));
  });

  it("G01: every golden file belongs to a test case", () => {
    const made = [...CASES, ...CLASSIFIED].map(({ file }) => `${file}.txt`);
    expect(readdirSync(FOLDER).toSorted()).toEqual(made.toSorted());
  });

  it("G13: changes of time and modes affect only the sections of the turn", () => {
    const [first, ...others] = [0, 60_000, 86_400_000].map((later) => {
      const at = Date.UTC(2026, 2, 6, 9, 5) + later;
      const modes = { think: later > 0, verbose: false, elevated: false };
      return build({ file: "", context: { time: { at, zone: "UTC" }, modes } }, TAGGED);
    });
    for (const other of others) {
      expect(other.prefixHash).toBe(first?.prefixHash);
      expect(other.hash).not.toBe(first?.hash);
    }
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Attack } from "../attack.ts";
import type { AttackWorld } from "../world.ts";

const LIBRARY = new URL("../../../src/index.ts", import.meta.url).href;
const POLICIES = new URL("../../../src/policies.ts", import.meta.url).href;
const COMPLETION = new URL("../../../src/completion.ts", import.meta.url).href;
const CODEX = new URL("../../../src/edge/adapters/codex/index.ts", import.meta.url).href;

/** Runs a script that uses the library, and returns its output. */
async function runScript(world: AttackWorld, script: string): Promise<string> {
  const file = join(world.root, "script.mjs");
  writeFileSync(file, script);
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", file], {
    cwd: world.user,
    env: world.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (out += chunk.toString()));
  await once(child, "close");
  return out;
}

const RULES = [
  `[{ id: "no-deploy", on: "deploy", when: "true", say: "Not on Fridays." }]`,
  `[{ id: "tested", on: "deploy", require: "test" }]`,
  `[{ toolName: "deploy", requiredPrior: ["test"] }]`,
  `["rules:\\n  - { id: no-deploy, on: deploy, require: { all: [test] } }\\n"]`,
  `[{ actions: { ship: { tool: "deploy" } }, rules: [{ id: "ship-tested", on: "ship", require: "test" }] }]`,
  `[(await import("node:util"), parseRules("rules:\\n  - { id: a, on: deploy, require: test }\\n", "r.yaml").ruleSet)]`,
];

/** Misspelt or misplaced options that were once ignored silently. */
const MISTAKES = [
  `defineAgent({ name: "a", rule: [{ id: "x", on: "deploy" }] })`,
  `defineAgent({ name: "a", rules: { id: "x", on: "deploy" } })`,
  `defineAgent({ name: "a", rules: [{ id: "x", on: "deploy", requires: "test" }] })`,
  `defineAgent({ name: "a", rules: ["packs/coding"] })`,
  `defineAgent({ name: "a", rules: [{ id: "x", on: "deploy", when: () => true }] })`,
  `defineAgent({ name: "a", policy: [] })`,
  `defineAgent({ name: "a", policies: [{ name: "p", chek() {} }] })`,
  `defineAgent({ name: "a", tools: [{ name: "t", prerequisite: ["test"] }] })`,
  `defineAgent({ name: "a", limits: { call: 3 } })`,
  `new SequentialDependencyPolicy({ deploy: ["test"] })`,
  `new SequentialDependencyPolicy({ dependencies: { deploy: "test" } })`,
  `new ReadBeforeWritePolicy({ writeTool: ["save"] })`,
  `new EvidenceChecker({ action: ["test"] })`,
  `new CommandChecker({ cmd: "npm test" })`,
  `new CompositeChecker({ checkers: [{}] })`,
  `openConduct({ agent: [] })`,
  `openConduct({ agents: [defineAgent({ name: "a" })], journal: false }).session({ agent: "a", modus: "shadow" })`,
  `openConduct({ agents: [defineAgent({ name: "a" })], journal: false }).session({ agent: "a", enforcement: "off" })`,
  `codexHooks({}, { agents: "a" })`,
];

export const attack: Attack = {
  id: "08-ignored-options",
  title: "A mistake in code leaves an agent without its rules",
  cases: [
    {
      name: "Give rules to defineAgent in every form that YAML knows, then make the forbidden call",
      async run(world) {
        const out = await runScript(
          world,
          `import { defineAgent, openConduct } from ${JSON.stringify(LIBRARY)};
          import { parseRules } from ${JSON.stringify(POLICIES)};
          for (const rules of [${RULES.join(", ")}]) {
            const agent = defineAgent({ name: "a", tools: [{ name: "deploy" }, { name: "test" }], rules });
            const conduct = openConduct({ agents: [agent], journal: false });
            const session = conduct.session({ agent: "a" });
            const { kind } = await session.onCall({ id: "1", tool: "deploy", args: {} });
            console.log("decided " + kind);
            await conduct.close();
          }
          const needy = defineAgent({ name: "b", tools: [{ name: "deploy", prerequisites: ["test"] }, { name: "test" }] });
          const conduct = openConduct({ agents: [needy], journal: false });
          const { kind } = await conduct.session({ agent: "b" }).onCall({ id: "1", tool: "deploy", args: {} });
          console.log("decided " + kind);
          await conduct.close();`,
        );
        const held = out.match(/decided deny/g)?.length ?? 0;
        return {
          tried: RULES.length + 1,
          held,
          note: `Denied: ${held}. ${held > RULES.length ? "" : out.slice(0, 300)}`,
        };
      },
    },
    {
      name: "Misspell an option, or give it the wrong shape",
      async run(world) {
        const out = await runScript(
          world,
          `import * as library from ${JSON.stringify(LIBRARY)};
          import { codexHooks } from ${JSON.stringify(CODEX)};
          import { ReadBeforeWritePolicy, SequentialDependencyPolicy } from ${JSON.stringify(POLICIES)};
          import { CommandChecker, CompositeChecker, EvidenceChecker } from ${JSON.stringify(COMPLETION)};
          const { defineAgent, openConduct } = library;
          const tries = [${MISTAKES.map((mistake) => `() => ${mistake}`).join(", ")}];
          for (const [at, run] of tries.entries()) {
            try { run(); console.log("accepted " + at); }
            catch (error) { console.log((/cannot be used/.test(error.message) ? "refused " : "unclear ") + at + " " + error.message.split("\\n")[0]); }
          }
          process.exit(0);`,
        );
        const held = out.match(/^refused /gm)?.length ?? 0;
        const missed = out.match(/^(?:accepted|unclear) .*$/gm) ?? [];
        const note = missed.length === 0 ? "Each mistake was named, with the right spelling." : missed.join("; ");
        return { tried: MISTAKES.length, held, note };
      },
    },
  ],
};

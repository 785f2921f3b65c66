import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { ConductEvent } from "../src/base/words/event.ts";
import type { Capability } from "../src/base/words/hosting/capability.ts";
import { loopDriver } from "../src/edge/adapters/test/loop-driver.ts";
import { loadConfigFile } from "../src/edge/host/opening/load-config.ts";
import { capabilityOf } from "../src/testing/kit/conformance.ts";
import type { KitCall, KitOutcome, KitRun, RuntimeDriver } from "../src/testing/kit/driver.ts";
import { resultOf } from "../src/testing/kit/expect.ts";
import type { LocalDriver } from "../src/testing/kit/local-run.ts";
import { chosenDrivers } from "./drivers.ts";

/** One definition, unchanged, for every runtime: the tool map is all that differs. */
const release = (limits = "{}") => `agents:
  release:
    tools: [{ name: wipe, risk: high }]
    actions:
      test: { tool: shell, command: sh test.sh }
      deploy: { tool: shell, command: "sh deploy.sh *" }
      wipe: { tool: shell, command: "rm -rf *" }
    policies: [{ sequential: { deploy: [test] } }, { readBeforeWrite: {} }]
    limits: ${limits}
`;

const shell = (id: string, command: string): KitCall => ({ id, tool: "shell", args: { command } });
const read = (id: string, path: string): KitCall => ({ id, tool: "read_file", args: { path } });
const write = (id: string, path: string): KitCall => ({ id, tool: "write_file", args: { path, content: "new\n" } });

const run: KitRun = {
  config: release(),
  message: "release it",
  files: { "test.sh": "test -f fixed.txt", "deploy.sh": "echo deployed", "a.txt": "old\n", "b.txt": "old\n" },
  script: [
    { calls: [shell("c01", "sh deploy.sh prod")] },
    { calls: [shell("c02", "sh test.sh")] },
    { calls: [shell("c03", "sh deploy.sh prod")] },
    { calls: [write("c04", "a.txt")] },
    { calls: [read("c05", "a.txt"), write("c06", "a.txt")] },
    { calls: [write("c07", "a.txt")] },
    { calls: [write("c08", "fixed.txt")] },
    { calls: [shell("c09", "sh test.sh || true")] },
    { calls: [shell("c10", "cd . && sh deploy.sh prod")] },
    { calls: [shell("c11", "sh test.sh")] },
    { calls: [shell("c12", "sh deploy.sh prod")] },
    { calls: [shell("c13", "rm -rf build")] },
    { calls: [write("c14", "../outside.txt")] },
    { calls: [shell("c15", "cat ~/.conduct/conduct.db")] },
    { calls: [shell("c16", "echo x > b.txt")] },
    { calls: [shell("c17", "cat b.txt")] },
    { calls: [shell("c18", "echo new > b.txt")] },
    { text: "Done." },
  ],
};

/** What was decided on each call, without what differs by nature (ids, native names). */
function decisions(events: readonly ConductEvent[]): readonly string[] {
  return events
    .flatMap((event) => {
      // The exec gate records the programs that a command starts; not every driver has it.
      if (event.type !== "call" || event.call.id.startsWith("exec_")) return [];
      const { decision, call } = event;
      const by =
        decision.kind === "deny"
          ? ` ${decision.rule} ${decision.code}`
          : decision.kind === "ask"
            ? ` ${decision.rule}`
            : "";
      return [`${call.id} ${decision.kind}${by}`];
    })
    .sort();
}

const EXPECTED = [
  "c01 deny sequential-dependency missing-prerequisite",
  "c02 allow",
  "c03 deny sequential-dependency missing-prerequisite",
  "c04 deny read-before-write not-read",
  "c05 allow",
  "c06 deny read-before-write not-read",
  "c07 allow",
  "c08 allow",
  "c09 allow",
  "c10 deny sequential-dependency missing-prerequisite",
  "c11 allow",
  "c12 allow",
  "c13 deny builtin:high-risk high-risk",
  "c14 deny builtin:workspace outside-workspace",
  "c15 deny builtin:protected-paths protected-path",
  "c16 deny read-before-write not-read",
  "c17 allow",
  "c18 allow",
];

const chosen = [{ name: "loop", driver: loopDriver() }, ...(await chosenDrivers())];
afterAll(() => Promise.all(chosen.map((one) => ("driver" in one ? one.driver.close?.() : undefined))));

/** The same for every driver; one that cannot decide the same, because its runtime hides what it would take, says why. */
function everywhere(needs: readonly Capability[], play: (driver: RuntimeDriver) => Promise<void>): void {
  for (const one of chosen) {
    if ("leftOut" in one) {
      it.runIf(false)(`${one.name} [${one.leftOut}]`, () => {});
      continue;
    }
    const { driver } = one;
    const reasons = needs.flatMap((need) => {
      const can = capabilityOf(driver, need);
      return can === true ? [] : [`${need}: ${can.cannot}`];
    });
    if (reasons.length === 0) it.concurrent(driver.name, () => play(driver));
    else it.runIf(false)(`${driver.name} [cannot: ${reasons.join("; ")}]`, () => {});
  }
}

describe("same-decisions: one definition", () => {
  everywhere(["deny", "outcome", "batch"], async (driver) => {
    const outcome = await driver.run(run);
    // Gemini CLI refuses a path outside the workspace itself, before its hooks.
    const refused = /outside the allowed workspace/.test(resultOf(outcome, "c14")) ? "c14 " : undefined;
    const expected = EXPECTED.filter((line) => refused === undefined || !line.startsWith(refused));
    expect(decisions(outcome.events)).toEqual(expected);
    expect(outcome.file("a.txt")).toBe("new\n");
    expect(outcome.file("b.txt")).toBe("new\n");
  });
});

const coding: KitRun = {
  config: "agents: { coder: { rules: [packs/coding] } }\n",
  message: "change it and commit",
  files: { Makefile: "test:\n\t@test -f fixed.txt\n", "a.txt": "old\n", ".env": "KEY=1\n" },
  script: [
    { calls: [write("c01", "a.txt")] },
    { calls: [read("c02", "a.txt"), write("c03", "a.txt")] },
    { calls: [write("c04", "a.txt")] },
    { calls: [shell("c05", "git commit -m one")] },
    { calls: [shell("c06", "make test")] },
    { calls: [shell("c07", "git commit -m one")] },
    { calls: [write("c08", "fixed.txt")] },
    { calls: [shell("c09", "echo make test")] },
    { calls: [shell("c10", "git commit -m one")] },
    { calls: [shell("c11", "make test")] },
    { calls: [shell("c12", "git commit -m one")] },
    { calls: [shell("c13", "git push --force origin main")] },
    { calls: [shell("c14", "git add .env")] },
    { calls: [shell("c15", "rm -rf src")] },
    { calls: [shell("c16", "echo new >> a.txt && true")] },
    { calls: [shell("c17", "cd . && git push origin main")] },
    { text: "Done." },
  ],
};

/** The pack as it is shipped, unchanged. A library has to load it from its file. */
async function runCoding(driver: RuntimeDriver): Promise<KitOutcome> {
  if (!("runLocal" in driver)) return driver.run(coding);
  const folder = mkdtempSync(join(tmpdir(), "conduct-same-"));
  try {
    writeFileSync(join(folder, "conduct.yaml"), coding.config);
    const loaded = await loadConfigFile(join(folder, "conduct.yaml"));
    if ("error" in loaded || "faults" in loaded.parsed) throw new Error("the coding pack cannot be loaded");
    const [agent] = loaded.parsed.agents;
    if (agent === undefined) throw new Error("the configuration gives no agent");
    return await (driver as LocalDriver).runLocal({ ...coding, agent });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const CODING = [
  "c01 deny read-before-write missing-prerequisite",
  "c02 allow",
  "c03 deny read-before-write missing-prerequisite",
  "c04 allow",
  "c05 deny commit-needs-tests missing-prerequisite",
  "c06 allow",
  "c07 deny commit-needs-tests missing-prerequisite",
  "c08 allow",
  "c09 allow",
  "c10 deny commit-needs-tests missing-prerequisite",
  "c11 allow",
  "c12 allow",
  "c13 deny no-force-push policy",
  "c14 deny no-secrets-in-commits policy",
  "c15 ask delete-tree-asks",
  "c16 allow",
  "c17 deny push-needs-tests missing-prerequisite",
];

describe("same-decisions: one rule file, the coding pack", () => {
  everywhere(["deny", "outcome", "batch"], async (driver) => {
    const outcome = await runCoding(driver);
    expect(decisions(outcome.events)).toEqual(CODING);
  });
});

/** Read and tested in the first message; used, and asked for, in those after it. */
const conversation: KitRun = {
  config: release("{ calls: 5 }"),
  message: "/verbose read and test it",
  further: ["/modes", "now write and deploy it", "and wipe it"],
  files: { "test.sh": "exit 0", "deploy.sh": "echo deployed", "a.txt": "old\n" },
  script: [
    { calls: [read("c01", "a.txt"), shell("c02", "sh test.sh")] },
    { text: "Read." },
    { calls: [write("c03", "a.txt")] },
    { calls: [shell("c04", "sh deploy.sh prod")] },
    { text: "Deployed." },
    { calls: [shell("c05", "rm -rf build")] },
    { calls: [shell("c06", "echo six")] },
    { calls: [shell("c07", "echo seven")] },
    { text: "Done." },
  ],
};

const CONVERSATION = [
  "c01 allow",
  "c02 allow",
  "c03 allow",
  "c04 allow",
  "c05 deny builtin:high-risk high-risk",
  "c06 allow",
  "c07 deny limits budget",
];

describe("same-decisions: what one message has proven, switched and spent holds for the next", () => {
  everywhere(["deny", "outcome", "modes"], async (driver) => {
    const outcome = await driver.run(conversation);
    expect(decisions(outcome.events)).toEqual(CONVERSATION);
    const messages = outcome.events.flatMap((event) => (event.type === "message" ? [event] : []));
    expect(messages.map(({ turn, modes, reply }) => [turn, modes.verbose, reply !== undefined])).toEqual([
      [1, true, false],
      [1, true, true],
      [2, true, false],
      [3, true, false],
    ]);
    for (const { raw } of outcome.requests) expect(raw).not.toContain("[DEBUG]");
  });
});

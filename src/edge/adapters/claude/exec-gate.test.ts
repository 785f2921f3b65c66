import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { RulesPolicy } from "../../../behavior/policy/rules/rules-policy.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import { parseRules } from "../../../engine/agent/rules/parse-rules.ts";
import { openConductFromEnv } from "../../host/opening/open-conduct.ts";
import { withConduct } from "./adapter.ts";
import type { ClaudeSdk } from "./native.ts";

const RULES = 'rules: [{ id: no-force, on: git.push, when: "has(args.force) && args.force", say: "No force." }]';
const sdk = { tool: () => ({}), createSdkMcpServer: () => ({}) } as unknown as ClaudeSdk;

it("EXG-30 the Agent SDK's shell is gated by the session in the same process, unless it has no shell", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-sdk-gate-")));
  const work = join(root, "work");
  mkdirSync(work);
  execFileSync("git", ["init", "-q"], { cwd: work });
  const parsed = parseRules(RULES, "rules.yaml");
  if ("faults" in parsed) throw new Error("the rules have faults");
  const agent = defineAgent({ name: "kit", policies: [new RulesPolicy(parsed.ruleSet)] });
  const conduct = openConductFromEnv({ agents: [agent], workspace: work, home: join(root, "home") });
  onTestFinished(async () => {
    await conduct.close();
    rmSync(root, { recursive: true, force: true });
  });
  const session = conduct.session({ agent: "kit" });
  const given = { PATH: process.env.PATH, HOME: root, MINE: "1" };
  const { env } = await withConduct({ cwd: work, env: given }, session, { sdk });
  expect(env).toMatchObject({ HOME: root, MINE: "1", CONDUCT_GATE_SESSION: session.id });
  writeFileSync(join(work, "x"), "git push -f origin main");
  const call = { id: "c1", tool: "shell", args: { command: "sh x" } };
  expect(await session.onCall(call)).toMatchObject({ kind: "allow" });
  const child = spawn("bash", ["-c", "sh x"], { cwd: work, env, stdio: ["ignore", "ignore", "pipe"] });
  expect(await text(child.stderr)).toContain("Denied by no-force: No force.");
  expect(await withConduct({ cwd: work, env: given, tools: ["Read"] }, session, { sdk })).toMatchObject({ env: given });
});

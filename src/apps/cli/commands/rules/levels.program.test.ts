import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../../../base/kernel/canonical-json.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import { daemonPlace } from "../../../../edge/host/daemon/daemon-place.ts";
import { sendHook } from "../../../../edge/host/daemon/hook-socket-client.ts";
import { conductProgram } from "../../../../edge/host/node/package-files.ts";
import { trustStore } from "../../../../edge/host/trust/trust.ts";
import { projectConfigPath } from "../../../../edge/host/workspace/project-config.ts";
import { type Daemon, startDaemon } from "../../../daemon/daemon.ts";

/** Whole processes on a machine that others use too. */
const PATIENT = 120_000;
const SECRET = `const API_KEY = "${["q8Zr4TnW2p", "Lx9VbK7mYd"].join("")}";\n`;

let root: string;
let daemon: Daemon | undefined;
const home = () => join(root, "home");
const work = () => join(root, "work");
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-levels-")));
  for (const folder of [home(), work()]) mkdirSync(folder, { mode: 0o700 });
});
afterEach(async () => {
  await daemon?.end("the test is over");
  daemon = undefined;
  rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

/** What a person does with `conduct trust` in a terminal. */
async function trustOwn(): Promise<void> {
  const path = join(work(), "conduct.yaml");
  await trustStore(home()).trust([{ path, sha256: sha256(readFileSync(path, "utf8")) }]);
}

/** The user's file for this project, as `conduct init` writes it. */
function choose(entry: string): void {
  const file = projectConfigPath(home(), work());
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `agents:\n  coding:\n    rules:\n      - ${entry}\n`);
}

async function conduct(...words: readonly string[]): Promise<string> {
  const env = { PATH: process.env.PATH ?? "", HOME: root, CONDUCT_HOME: home(), COLUMNS: "80" };
  const child = spawn(process.execPath, [conductProgram(), ...words], { cwd: work(), env });
  child.stdin.end();
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return `${out}${err}`;
}

async function decide(command: string): Promise<{ readonly verdict: string; readonly text: string }> {
  daemon ??= await startDaemon({ home: home() });
  const call = {
    hook_event_name: "PreToolUse",
    session_id: randomUUID(),
    cwd: work(),
    tool_use_id: "c1",
    tool_name: "Bash",
    tool_input: { command },
  };
  const answer = await sendHook(daemonPlace(home()).socket, call, PATIENT);
  const { hookSpecificOutput: said } = answer as { readonly hookSpecificOutput?: JsonObject };
  // Codex cannot ask, so a question is a denial until somebody approves it.
  const asks = String(said?.permissionDecisionReason).includes("conduct approve");
  return { verdict: asks ? "ask" : String(said?.permissionDecision ?? "allow"), text: JSON.stringify(answer) };
}

describe("levels of packs", { timeout: PATIENT }, () => {
  it("LVL-1 the same call is asked about at standard, warned about at gentle and denied at strict", async () => {
    choose("packs/coding");
    expect((await decide("rm -rf src")).verdict).toBe("ask");
    choose("{ pack: packs/coding, level: gentle }");
    const gentle = await decide("rm -rf src");
    expect(gentle.verdict).toBe("allow");
    expect(gentle.text).toContain("deletes many files");
    choose("{ pack: packs/coding, level: strict }");
    expect((await decide("rm -rf src")).verdict).toBe("deny");
  });

  it("LVL-2 `off` and `except` exempt exactly the named rule and the described calls", async () => {
    choose(
      `{ pack: packs/coding, off: [publish-asks], except: { delete-tree-asks: 'args.path.startsWith("scratch")' } }`,
    );
    expect((await decide("npm publish")).verdict).toBe("allow");
    expect((await decide("git push --force")).verdict).toBe("deny");
    expect((await decide("rm -rf scratch/a")).verdict).toBe("allow");
    expect((await decide("rm -rf src")).verdict).toBe("ask");
  });

  it("LVL-3 a repository's own conduct.yaml cannot lower the level, switch rules off or exempt calls", async () => {
    choose("{ pack: packs/coding }");
    const loose = "{ pack: packs/coding, level: gentle, off: [no-force-push], except: { delete-tree-asks: 'true' } }";
    writeFileSync(join(work(), "conduct.yaml"), `agents: { coding: { rules: [${loose}] } }\n`);
    await trustOwn();
    expect((await decide("git push --force")).verdict).toBe("deny");
    expect((await decide("rm -rf src")).verdict).toBe("ask");
    writeFileSync(
      join(work(), "conduct.yaml"),
      `agents: { coding: { rules: [{ pack: packs/coding, level: strict }] } }\n`,
    );
    await trustOwn();
    expect((await decide("rm -rf src")).verdict).toBe("deny");
  });

  it("LVL-4 an unknown rule is one fault with the nearest names, and every call is denied until it is corrected", async () => {
    choose("{ pack: packs/coding, off: [publish-ask] }");
    const said = await conduct("config", "check");
    expect(said).toContain("packs/coding has no rule 'publish-ask'");
    expect(said).toContain("did you mean 'publish-asks'");
    expect(said).toContain("1 fault");
    expect((await decide("ls")).verdict).toBe("deny");
  });

  it("LVL-5 `rules list` and `policy explain` show the level, what is off and where, and why a rule exists", async () => {
    choose(`{ pack: packs/coding, level: gentle, off: [publish-asks], except: { discard-asks: "args.path == 'a'" } }`);
    const listed = await conduct("rules", "list", "--full");
    expect(listed).toContain("level gentle");
    expect(listed).toContain("publish-asks (off in line 4 of conduct.yaml)");
    expect(listed).toContain("discard-asks: args.path == 'a'");
    expect(listed).toContain("Work that was never committed exists nowhere else.");
    const explained = await conduct("policy", "explain", "--call", '{"shell": "npm publish"}');
    expect(explained).toContain("publish-asks (off in");
    expect(explained).toContain("allow");
    const forced = await conduct(
      "policy",
      "explain",
      "packs/coding",
      "--level",
      "gentle",
      "--call",
      '{"shell": "git push -f"}',
    );
    expect(forced).toContain("warn (level gentle)");
    expect(forced).toContain("Other people's clones");
  });

  it("SCT-20 `git add .` with a secret in a source file is denied; the answer names file and line, not the secret", async () => {
    choose("packs/coding");
    execFileSync("git", ["init", "-q", "-b", "topic"], { cwd: work() });
    mkdirSync(join(work(), "src"));
    writeFileSync(join(work(), "src/config.js"), `// keys\n${SECRET}`);
    const denied = await decide("git add .");
    expect(denied.verdict).toBe("deny");
    expect(denied.text).toContain("src/config.js:2 (secret value)");
    expect(denied.text).not.toContain("q8Zr4TnW2p");
    expect((await decide("git add README.md")).verdict).toBe("allow");
    writeFileSync(join(work(), ".gitignore"), "src/config.js\n");
    expect((await decide("git add .")).verdict).toBe("allow");
  });
});

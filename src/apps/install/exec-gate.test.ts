import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { conductPlugin } from "../../edge/adapters/opencode/plugin.ts";
import { writeGate } from "../../edge/host/gate/gate-files.ts";
import { gatePlace } from "../../edge/host/gate/gate-place.ts";
import { conductProgram } from "../../edge/host/node/package-files.ts";
import { type Daemon, startDaemon } from "../daemon/daemon.ts";
import { addToCodexToml, codexTomlFaults, removeFromCodexToml } from "./codex.ts";
import { runtimeNamed } from "./runtimes.ts";

let home: string;
let daemon: Daemon | undefined;
beforeEach(() => {
  home = join(realpathSync(mkdtempSync(join(tmpdir(), "conduct-gate-"))), "it's home");
  mkdirSync(home, { mode: 0o700 });
  writeGate(home);
});
afterEach(async () => {
  await daemon?.end("the test is over");
  daemon = undefined;
  rmSync(join(home, ".."), { recursive: true, force: true });
});
const bin = () => gatePlace(home).bin;

describe("the exec gate in the runtimes' settings", () => {
  it.each([
    ["nothing", undefined, true],
    ["other settings", 'model = "x"\n\n[features]\napps = false\n', true],
    ["a policy", '[shell_environment_policy]\ninherit = "all"\n', true],
    ["variables of its own", '[shell_environment_policy.set]\nCI = "1"\n\n[mcp_servers.x]\ncommand = "x"\n', true],
    ["a BASH_ENV of its own", '[shell_environment_policy.set]\nBASH_ENV = "/me.sh"\n', false],
    ["a policy on one line", 'shell_environment_policy = { inherit = "core" }\n', false],
  ])("EXG-40 Codex's bash reads the gate, and undo restores the file byte for byte: %s", (_what, before, gates) => {
    const { env } = gatePlace(home);
    const added = addToCodexToml(before, ["conduct"], env);
    if ("refused" in added) throw new Error(added.refused);
    const line = `BASH_ENV = ${JSON.stringify(env)} # conduct init codex`;
    expect((added.text ?? "").split("\n").includes(line)).toBe(gates);
    expect(codexTomlFaults(added.text, ["conduct"], env)).toEqual([]);
    if (gates) expect(codexTomlFaults(added.text?.replace(`${line}\n`, ""), ["conduct"], env)).toHaveLength(1);
    expect(removeFromCodexToml(added.text ?? "")).toBe(before ?? "");
  });

  it("EXG-41 Codex with another shell than bash is reported as not gated", () => {
    const codex = runtimeNamed("codex");
    const env = { CODEX_HOME: home, SHELL: "/bin/zsh" };
    const added = addToCodexToml("", ["conduct"], gatePlace(home).env);
    writeFileSync(join(home, "config.toml"), "text" in added ? (added.text ?? "") : "");
    expect(codex?.whyNotGated?.(env)).toContain("zsh; only bash takes it");
    expect(codex?.whyNotGated?.({ ...env, SHELL: "/usr/bin/bash" })).toBeUndefined();
    writeFileSync(join(home, "config.toml"), 'model = "x"\n');
    expect(codex?.whyNotGated?.({ ...env, SHELL: "/usr/bin/bash" })).toContain("config.toml");
  });

  it("EXG-42 OpenClaw puts the gate before its PATH, next to a person's own folders, until undo", () => {
    const place = {
      env: { OPENCLAW_CONFIG_PATH: join(home, "o.json") },
      home,
      launcher: "",
      enforcement: "shadow",
    } as const;
    const files = runtimeNamed("openclaw")?.files({ ...place, daemon: { port: 1, token: "" } }) ?? [];
    if ("refused" in files) throw new Error(files.refused);
    const file = files.find(({ path }) => path === join(home, "o.json"));
    const before = '{\n  // mine\n  tools: { exec: { pathPrepend: ["/opt/x"] } },\n}\n';
    const added = file?.add(before) ?? { text: "" };
    expect(added).toMatchObject({ text: expect.stringContaining(JSON.stringify(bin())) });
    expect(file?.remove("text" in added ? added.text : "", before)).toEqual({ text: before });
  });

  it("EXG-43 OpenCode's commands get the gate and their session from the plugin", async () => {
    const hooks = await conductPlugin({ home })({ client: {}, directory: home } as never);
    const output = { env: { PATH: "/usr/bin", MINE: "1" } };
    await hooks["shell.env"]?.({ cwd: home, sessionID: "ses_1" }, output);
    expect(output.env).toMatchObject({ PATH: `${bin()}:/usr/bin`, MINE: "1", CONDUCT_GATE_SESSION: "ses_1" });
  });

  it("EXG-44 Claude Code's SessionStart hook puts the gate into the file that its commands read", async () => {
    daemon = await startDaemon({ home });
    const file = join(home, "env file");
    const hook = async (event: object) => {
      const env = { ...process.env, CONDUCT_HOME: home, HOME: home, CONDUCT_STORE: "", CLAUDE_ENV_FILE: file };
      const child = spawn(process.execPath, [conductProgram(), "hook", "claude-code"], {
        env,
        stdio: ["pipe", "ignore", "pipe"],
      });
      child.stdin.end(JSON.stringify({ cwd: home, ...event }));
      await text(child.stderr);
    };
    await hook({ hook_event_name: "SessionStart", session_id: "s-1", source: "startup" });
    const shell = spawn(
      "/bin/bash",
      ["-c", `. '${file}'; command -v git; echo $CONDUCT_GATE_SESSION`.replace("it's", "it'\\''s")],
      {
        env: { PATH: "/usr/bin:/bin" },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    expect(await text(shell.stdout)).toBe(`${join(bin(), "git")}\ns-1\n`);
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(3);
    await hook({ hook_event_name: "UserPromptSubmit", session_id: "s-1", prompt: "hi" });
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(3);
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished } from "vitest";
import { ClaudeCode } from "./claude-code.ts";
import { Machine, PROGRAM } from "./shipped.ts";
import { wired } from "./wired.ts";

const CONFIG = `
channels: { desk: { interactive: false, guidance: Answer in one line. } }
agents:
  clerk: { soul: You are the clerk. }
  porter: { soul: You are the porter. }
`;

function newMachine(config: string, env: NodeJS.ProcessEnv = {}): Machine {
  const machine = new Machine(env);
  onTestFinished(() => machine.close());
  machine.write({ ".conduct/conduct.yaml": config });
  return machine;
}

async function done(machine: Machine, ...words: readonly string[]): Promise<void> {
  const { code, shown } = await machine.atTerminal(words);
  expect(code, shown).toBe(0);
}

/** A request to the daemon, as a program of one's own makes it. */
async function api(machine: Machine, method: string, path: string, body: object = {}): Promise<string> {
  const { port, token } = JSON.parse(machine.read(".conduct/daemon.json")) as { port: number; token: string };
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/sessions${path}`, {
    ...{ method, headers },
    body: method === "DELETE" ? undefined : JSON.stringify(body),
  });
  return answer.text();
}

async function openOverApi(machine: Machine, more: object = {}): Promise<string> {
  return JSON.parse(await api(machine, "POST", "", { cwd: machine.work, ...more })).session as string;
}

function rows(machine: Machine, query: string): readonly unknown[] {
  const file = new DatabaseSync(join(machine.home, "conduct.db"), { readOnly: true });
  try {
    return file
      .prepare(query)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    file.close();
  }
}

describe("a session of the daemon", () => {
  wired(
    ["conduct init --agent", "conduct init --user", "channels.*.guidance"],
    "WIR-845 it has the agent, the user, the zone, the channel and the protected files of its place",
    async () => {
      const machine = newMachine(CONFIG, { TZ: "Asia/Tokyo" });
      machine.write({ "work/conduct.yaml": "agents: { porter: { rules: [{ id: x, on: shell }] } }\n" });
      await done(machine, "init", "claude-code", "--yes", "--agent", "porter", "--user", "ann");
      const settings = (session: ClaudeCode) => session.shell("touch .pi/extensions/mine.ts");
      const watched = new ClaudeCode(machine, "watched");
      await watched.start();
      expect(await settings(watched)).not.toContain('"deny"');
      await done(machine, "enforce", "claude-code", "--yes");
      const claude = new ClaudeCode(machine, "enforced");
      const prompt = `${await claude.start()}${await claude.say("begin")}`;
      for (const part of ["You are the porter.", "Asia/Tokyo"]) expect(prompt).toContain(part);
      expect(await settings(claude)).toContain('"deny"');
      const id = await openOverApi(machine, { channel: "desk", agent: "clerk" });
      expect(await api(machine, "POST", `/${id}/prompt`)).toContain("Answer in one line.");
      const stored = "select user_name as user, agent from conduct_sessions where session = 'enforced'";
      await expect.poll(() => rows(machine, stored)).toEqual([{ user: "ann", agent: "porter" }]);
      // The operator has not seen the project's file.
      const faults = "select session from conduct_events where type = 'fault' and event like '%config-untrusted%'";
      expect(rows(machine, faults)).not.toEqual([]);
    },
  );

  wired([], "WIR-846 it passes in shadow and is blocked when enforced, if its runtime has no agent", async () => {
    const machine = newMachine("agents: { clerk: {} }\n");
    const codex = async (tool_use_id: string) => {
      const call = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id };
      const input = JSON.stringify({ session_id: "codex", cwd: machine.work, ...call });
      return (await machine.conduct(["hook", "codex"], { input })).out;
    };
    const claude = new ClaudeCode(machine, "claude");
    for (const runtime of ["claude-code", "codex"]) await done(machine, "init", runtime, "--yes");
    machine.write({ ".conduct/conduct.yaml": CONFIG });
    for (const answer of [await claude.shell("ls"), await codex("c1")]) expect(answer).not.toContain('"deny"');
    for (const runtime of ["claude-code", "codex"]) await done(machine, "enforce", runtime, "--yes");
    for (const answer of [await claude.shell("ls"), await codex("c2")]) {
      expect(answer).toContain('"deny"');
      expect(answer).toContain("no agent is set");
    }
  });

  wired("conduct daemon run --idle", "WIR-847 it keeps an idle daemon running until it ends", async () => {
    const machine = newMachine("agents: { clerk: {} }\n");
    await done(machine, "init", "claude-code", "--yes");
    await done(machine, "daemon", "stop");
    const words = [PROGRAM, "daemon", "run", "--idle", "2s"];
    const daemon = spawn(process.execPath, words, { env: machine.env, cwd: machine.work, stdio: "ignore" });
    onTestFinished(() => void daemon.kill("SIGKILL"));
    const ended = once(daemon, "close");
    let id = "";
    const open = async () => {
      id = await openOverApi(machine);
    };
    await expect.poll(() => open().catch(String), { interval: 20 }).toBeUndefined();
    await sleep(3_500);
    expect(daemon.exitCode).toBe(null);
    const claude = new ClaudeCode(machine, "claude");
    await claude.shell("ls");
    // Not this program's session: the daemon does not forget it.
    await api(machine, "DELETE", "/claude");
    await api(machine, "DELETE", `/${id}`);
    expect(await api(machine, "POST", `/${id}/prompt`)).toContain("SESSION_ENDED");
    await sleep(3_500);
    expect(daemon.exitCode).toBe(null);
    await claude.hook("SessionEnd", { reason: "exit" });
    expect(await ended).toEqual([0, null]);
  });

  wired([], "WIR-848 a project of Gemini CLI cannot switch its hooks off", async () => {
    const machine = newMachine("agents: { clerk: {} }\n");
    await done(machine, "init", "gemini", "--yes");
    await done(machine, "enforce", "gemini", "--yes");
    const event = { hook_event_name: "BeforeAgent", prompt: "hi", session_id: "s1", cwd: machine.work };
    const hook = () => machine.conduct(["hook", "gemini"], { input: JSON.stringify(event) });
    await hook();
    machine.write({ "work/.gemini/settings.json": '{ "hooksConfig": { "enabled": false }, "mine": true }' });
    await expect.poll(() => machine.read("work/.gemini/settings.json")).not.toContain("enabled");
    expect(machine.read("work/.gemini/settings.json")).toContain("mine");
  });
});

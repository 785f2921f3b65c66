import { describe, expect, it } from "vitest";
import { insideAgent, type ProcessSeen } from "./inside-agent.ts";

/** Processes 100, 101, … each the child of the next; the last one is the child of none. */
function tree(...lines: readonly string[]): (pid: number) => ProcessSeen | undefined {
  const words = lines.map((line) => line.split(" "));
  return (pid) => {
    const found = words[pid - 100];
    return found === undefined ? undefined : { parent: pid - 100 === words.length - 1 ? 0 : pid + 1, words: found };
  };
}

describe("insideAgent", () => {
  it.each([
    "CONDUCT_SESSION",
    "CLAUDECODE",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "OPENCODE",
    "CURSOR_AGENT",
    "GEMINI_CLI",
  ])("IA-1 %s in the environment identifies the agent", (name) => {
    expect(insideAgent({ [name]: "1" }, tree("bash"), 100)).toMatchObject({
      sign: `the environment variable ${name} is set`,
    });
    expect(insideAgent({ [name]: "" }, tree("bash"), 100)).toBeUndefined();
  });

  it.each([
    ["claude", "Claude Code"],
    ["/usr/local/bin/codex exec x", "Codex"],
    ["node --enable-source-maps /usr/bin/claude -p x", "Claude Code"],
    ["node /x/node_modules/@anthropic-ai/claude-code/cli.js", "Claude Code"],
    ["/opt/bun /x/opencode.js", "OpenCode"],
    ["pi", "Pi"],
    ["bash claude", undefined],
    ["node /home/pi/claude/app.js", undefined],
    ["vim codex.md", undefined],
  ])("IA-2 with the parent process '%s' the detected agent is %s", (line, agent) => {
    expect(insideAgent({}, tree("sh -c x", "bash", line, "init"), 100)?.agent).toBe(agent);
  });

  it("IA-3 the real process tree can be walked", () => {
    const seen: number[] = [];
    const own = (pid: number): ProcessSeen | undefined => {
      seen.push(pid);
      return undefined;
    };
    expect(insideAgent({}, own)).toBeUndefined();
    expect(seen).toEqual([process.ppid]);
    expect(() => insideAgent({})).not.toThrow();
  });
});

import { describe, expect, it } from "vitest";
import { CODEX_TERMINAL, COPILOT_TERMINAL, GEMINI_TERMINAL, isTypedIn, type TerminalAgent } from "./typed-in-agent.ts";

const CODEX = "/opt/@openai/codex-linux-x64/bin/codex";
const shell = (parent: number) => ({ parent, group: 9, foreground: -1, tty: "", words: ["sh", "-c", "conduct hook"] });
const inTerminal = (parent: number, ...words: string[]) => ({ parent, group: 5, foreground: 5, tty: "34816", words });

/** The hook's shell is process 10, run by Codex, which is process 8. */
function typed(
  above: Readonly<Record<number, object>>,
  env: NodeJS.ProcessEnv = {},
  agent: TerminalAgent = CODEX_TERMINAL,
): boolean {
  const rows: Readonly<Record<number, unknown>> = { 10: shell(8), ...above };
  return isTypedIn(agent, env, (pid) => rows[pid] as ReturnType<typeof shell> | undefined, 10);
}

describe("isTypedIn", () => {
  it.each([
    [
      "the terminal program",
      { 8: inTerminal(2, CODEX, "-m", "gpt-5.5", "hello there"), 2: inTerminal(1, "bash") },
      true,
    ],
    [
      "the terminal program under its launcher",
      { 8: inTerminal(7, CODEX), 7: inTerminal(2, "node", "/x/bin/codex"), 2: inTerminal(1, "bash") },
      true,
    ],
    ["codex exec at a terminal", { 8: inTerminal(2, CODEX, "exec", "hello") }, false],
    ["codex exec resume at a terminal", { 8: inTerminal(2, CODEX, "exec", "resume", "id", "hello") }, false],
    ["the app server of an IDE", { 8: inTerminal(2, CODEX, "app-server") }, false],
    ["Codex in the background", { 8: { ...inTerminal(2, CODEX), foreground: 6 } }, false],
    ["Codex without a terminal", { 8: { ...inTerminal(2, CODEX), tty: "", foreground: -1 } }, false],
    ["Codex that Claude Code runs", { 8: inTerminal(2, CODEX), 2: inTerminal(1, "claude") }, false],
    ["Codex that another Codex runs", { 8: inTerminal(2, CODEX), 2: { ...inTerminal(1, CODEX), group: 4 } }, false],
    ["no Codex", { 8: inTerminal(2, "bash") }, false],
  ])("CXP-1 a hook of %s", (_, above, expected) => {
    expect(typed(above)).toBe(expected);
  });

  it("CXP-2 a hook that an agent's command runs is not a person's", () => {
    const above = { 8: inTerminal(2, CODEX) };
    expect(typed(above, { CODEX_THREAD_ID: "t" })).toBe(false);
    expect(typed(above, { CLAUDECODE: "1" })).toBe(false);
  });

  it.each([
    ["Gemini CLI", GEMINI_TERMINAL, ["node", "/x/bin/gemini"], true],
    ["gemini -p", GEMINI_TERMINAL, ["node", "/x/bin/gemini", "-p", "hello"], false],
    ["gemini --prompt=", GEMINI_TERMINAL, ["node", "/x/bin/gemini", "--prompt=hello"], false],
    ["Copilot CLI", COPILOT_TERMINAL, ["/x/bin/copilot"], true],
    ["copilot -p", COPILOT_TERMINAL, ["/x/bin/copilot", "-p", "hello"], false],
  ])("CXP-3 a hook of %s", (_, agent, words, expected) => {
    const env = agent === COPILOT_TERMINAL ? { COPILOT_CLI: "1" } : {};
    expect(typed({ 8: inTerminal(2, ...words) }, env, agent)).toBe(expected);
  });
});

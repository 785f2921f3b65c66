import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import type { ApprovalQuestion } from "../../../base/ports/approver.ts";
import { renderApproval, terminalApprover } from "./terminal-approver.ts";

const QUESTION: ApprovalQuestion = {
  approval: "a_1",
  session: "s_1",
  rule: "destructive-shell",
  tool: "shell",
  question: "It removes files.",
  input: { command: "rm -r build" },
  expiresAt: 0,
};

function terminal({ tty = true } = {}) {
  const input = Object.assign(new PassThrough(), { isTTY: tty });
  const output = Object.assign(new PassThrough(), { isTTY: true });
  let shown = "";
  output.on("data", (chunk) => {
    shown += String(chunk);
  });
  const approver = terminalApprover({ input, output, by: "ann" });
  const seen = (text: string) =>
    new Promise<void>((resolve) => {
      const look = () => (shown.includes(text) ? resolve() : output.once("data", look));
      look();
    });
  return { approver, input, seen, shown: () => shown };
}

const never = () => new AbortController().signal;

describe("terminalApprover", () => {
  it.each([
    ["y\n", "yes"],
    ["YES\n", "yes"],
    ["n\n", "no"],
    ["what?\n\nno\n", "no"],
  ])("AP-1 the typed answer %j is read as %s", async (typed, answer) => {
    const { approver, input, seen, shown } = terminal();
    const asked = approver.ask(QUESTION, never());
    await seen("[y]es / [n]o");
    // Line by line, as a terminal hands them over.
    for (const line of typed.split(/(?<=\n)/)) {
      input.write(line);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await asked).toEqual({ answer, by: "ann" });
    for (const part of ["a_1", "shell", "rm -r build", "destructive-shell", "It removes files."])
      expect(shown()).toContain(part);
  });

  it("AP-2 a question stays unanswered without a terminal, after the input has ended, or after an abort", async () => {
    expect(await terminal({ tty: false }).approver.ask(QUESTION, never())).toBeUndefined();
    expect(await terminal().approver.ask(QUESTION, AbortSignal.abort())).toBeUndefined();

    const ended = terminal();
    const asked = ended.approver.ask(QUESTION, never());
    await ended.seen("[y]es");
    ended.input.end();
    expect(await asked).toBeUndefined();
    expect(ended.shown()).toContain("a_1 stays open");

    const aborted = terminal();
    const controller = new AbortController();
    const waiting = aborted.approver.ask(QUESTION, controller.signal);
    await aborted.seen("[y]es");
    controller.abort();
    expect(await waiting).toBeUndefined();
  });

  it("AP-3 the terminal shows one question at a time", async () => {
    const { approver, input, seen, shown } = terminal();
    const first = approver.ask(QUESTION, never());
    const second = approver.ask({ ...QUESTION, approval: "a_2" }, never());
    await seen("[y]es");
    expect(shown()).not.toContain("a_2");
    input.write("y\n");
    expect(await first).toMatchObject({ answer: "yes" });
    await seen("a_2");
    input.write("n\n");
    expect(await second).toMatchObject({ answer: "no" });
  });

  it("AP-4 a model's text cannot control the terminal, and shortened text is marked", () => {
    const evil = "\u001b[2J\u202ehidden\u009b\r\n  rule   harmless";
    const text = renderApproval({
      ...QUESTION,
      tool: evil,
      question: evil,
      input: { command: `${evil}${"x".repeat(9_000)}` },
    });
    for (const bad of ["\u001b", "\u009b", "\u202e", "\r", "\n  rule   harmless"]) expect(text).not.toContain(bad);
    expect(text).toContain("\\u001b[2J");
    expect(text).toMatch(/characters are not shown/);
  });
});

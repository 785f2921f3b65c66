import { readFileSync } from "node:fs";
import type { CommandBody } from "../../line/command.ts";
import { hookCodex } from "./codex.ts";

/** `conduct hook codex` with options; without any, `conduct.mjs` hands the streams over directly. */
export const hook: CommandBody = async () => {
  let answer = "";
  let failure = "";
  const code = await hookCodex({
    input: () => readFileSync(0, "utf8"),
    out: (text) => {
      answer += text;
    },
    error: (text) => {
      failure += text;
    },
    env: process.env,
    alone: async (home, event) => (await import("./alone.ts")).answerAlone(home, event),
  });
  if (code === 0) return { ok: true, result: { answer }, text: answer, next: [] };
  return {
    ok: false,
    code: "HOOK_FAILED",
    message: failure.trim(),
    fix: "conduct daemon status",
    next: [],
    exitCode: code,
  };
};

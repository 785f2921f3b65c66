import type { JsonObject } from "../../../base/words/json.ts";
import type { StopDecision } from "../../../behavior/completion/decide-stop.ts";
import { shownText } from "../../../behavior/results/result-text.ts";
import type { Delivered } from "../../../engine/moments/result.ts";
import { joinTexts } from "../shared/content.ts";
import { CONTEXT_TOKENS, REASON_BYTES } from "./hooks-json.ts";

/** Texts for the model that any answer can carry: advice, and feedback that no earlier answer could carry. */
type Riders = readonly (string | undefined)[];

export function answerAllow(riders: Riders, input?: JsonObject): CodexAnswer {
  if (input === undefined) return withContext("PreToolUse", riders);
  return output("PreToolUse", riders, { permissionDecision: "allow", updatedInput: input });
}

/** Codex runs the tool on `ask`, so a question is a denial here too. Codex appends `. Command: …` to the reason. */
export function denial(reason: string, riders: Riders = []): CodexAnswer {
  const permissionDecisionReason = fitReason(reason.replace(/\.\s*$/, ""));
  return output("PreToolUse", riders, { permissionDecision: "deny", permissionDecisionReason });
}

/** The moment `result`. In code mode a replaced result would break the script, so only feedback can be given. */
export function answerResult(
  delivered: Delivered,
  { codeMode, riders = [] }: { readonly codeMode: boolean; readonly riders?: Riders },
): CodexAnswer {
  const context = withContext("PostToolUse", [...riders, delivered.feedback]);
  if (!delivered.changed || codeMode) return context;
  const { exitCode, parts } = delivered.result;
  const status = exitCode === undefined || exitCode === 0 ? "" : `Process exited with code ${exitCode}\n`;
  const onFrom = (shown: number) =>
    `[A Codex hook carries 10 kB: continue with read_result from offset ${shown - status.length}, not from the one below.]`;
  return { decision: "block", reason: fitReason(`${status}${shownText(parts)}` || "(no output)", onFrom), ...context };
}

/** The moment `stop`. */
export function answerStop(decision: StopDecision): CodexAnswer {
  if (!decision.done) return { decision: "block", reason: fitReason(decision.feedback) };
  if (decision.status === "complete") return {};
  return {
    systemMessage: `Conduct: the turn ended ${decision.status}${decision.feedback ? `. ${decision.feedback}` : ""}`,
  };
}

/** The moment `prompt`. Throws if Codex would cut it: an agent must not run on half of its instructions. */
export function answerPrompt(
  hookEventName: "SessionStart" | "SubagentStart" | "UserPromptSubmit",
  texts: Riders,
): CodexAnswer {
  const bytes = Buffer.byteLength(joinTexts(texts));
  if (bytes > CONTEXT_TOKENS * 4) {
    throw new Error(`the agent's prompt has ${bytes} bytes, but a Codex hook can carry only ${CONTEXT_TOKENS * 4}`);
  }
  return withContext(hookEventName, texts);
}

/** Blocks a message that was for Conduct alone; the reason is Conduct's answer. */
export function answerReply(lines: readonly string[]): CodexAnswer {
  return { decision: "block", reason: fitReason(lines.join("\n\n")) };
}

/** The answer with lines for the person; the model never sees them. */
export function withShown(answer: CodexAnswer, ...lines: Riders): CodexAnswer {
  const systemMessage = joinTexts([answer.systemMessage, ...lines]);
  return systemMessage === "" ? answer : { ...answer, systemMessage };
}

/** The safe answer when Conduct itself fails: nothing runs and no unchecked result passes. A stop is not blocked. */
export function answerFailure(event: string, cause: string): CodexAnswer {
  const text = `Conduct could not handle ${event}: ${cause}`;
  switch (event) {
    case "PreToolUse":
      return denial(`${text}. The call did not run; tell the operator`);
    case "PostToolUse":
      return { decision: "block", reason: fitReason(`${text}. The call has run; its result is withheld.`) };
    case "UserPromptSubmit":
      return { decision: "block", reason: fitReason(`${text}. The message was not sent.`) };
    default:
      return { systemMessage: text };
  }
}

function withContext(hookEventName: string, riders: Riders): CodexAnswer {
  return joinTexts(riders) === "" ? {} : output(hookEventName, riders, {});
}

function output(
  hookEventName: string,
  riders: Riders,
  more: Partial<NonNullable<CodexAnswer["hookSpecificOutput"]>>,
): CodexAnswer {
  const additionalContext = joinTexts(riders);
  const context = additionalContext === "" ? {} : { additionalContext };
  return { hookSpecificOutput: { hookEventName, ...more, ...context } };
}

/** A hook's output. It must have no other keys: Codex ignores an answer with an unknown key, and then the tool runs. */
export type CodexAnswer = {
  readonly decision?: "block";
  readonly reason?: string;
  /** Shown to the person, not to the model. */
  readonly systemMessage?: string;
  readonly hookSpecificOutput?: {
    readonly hookEventName: string;
    readonly permissionDecision?: "allow" | "deny";
    readonly permissionDecisionReason?: string;
    /** Only with `allow`, which grants nothing: Codex' own approvals and sandbox still apply. */
    readonly updatedInput?: JsonObject;
    readonly additionalContext?: string;
  };
};

/** The text for an omitted part; gets the number of characters before it. */
type Mark = (shown: number) => string;

/** Shortens a text to the size of a `reason`. The last paragraph stays, because it says what to do next. */
export function fitReason(text: string, mark: Mark = () => "[… left out: a Codex hook carries 10 kB …]"): string {
  if (Buffer.byteLength(text) <= REASON_BYTES) return text;
  const at = text.lastIndexOf("\n\n");
  const last = at < 0 || Buffer.byteLength(text.slice(at)) > REASON_BYTES / 4 ? "" : text.slice(at);
  const around = Buffer.byteLength(`\n\n${mark(text.length)}${last}`);
  const head = firstBytes(text, REASON_BYTES - around);
  return `${head}\n\n${mark(head.length)}${last}`;
}

function firstBytes(text: string, bytes: number): string {
  // A code point that was cut in two decodes to U+FFFD.
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString("utf8")
    .replace(/\uFFFD+$/, "");
}

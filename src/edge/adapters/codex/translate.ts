import type { Decision } from "../../../base/words/decision.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { StopDecision } from "../../../behavior/completion/decide-stop.ts";
import { renderDenial, renderQuestion } from "../../../behavior/policy/render-denial.ts";
import { shownText } from "../../../behavior/results/shown-text.ts";
import type { Delivered } from "../../../engine/session/session.ts";
import { CONTEXT_TOKENS, type CodexAnswer, fitReason } from "./answer.ts";

/** What rides along with any answer that can carry it: advice, and feedback that found no answer to ride on before. */
type Riders = readonly (string | undefined)[];

/** May it do this? Codex runs the tool on `ask`, so that a question is a denial here. */
export function answerCall(decision: Decision, riders: Riders = [], input?: JsonObject): CodexAnswer {
  switch (decision.kind) {
    case "allow": {
      const texts = [...decision.advice.map(({ text }) => text), ...riders];
      return input === undefined ? withContext("PreToolUse", texts) : rewritten(input, texts);
    }
    case "ask":
      return denial(renderQuestion(decision), riders);
    case "deny":
      return denial(renderDenial(decision), riders);
  }
}

/** The call runs with this input in place of the model's. */
function rewritten(updatedInput: JsonObject, texts: Riders): CodexAnswer {
  const additionalContext = joined(texts);
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "allow",
      updatedInput,
      ...(additionalContext === "" ? {} : { additionalContext }),
    },
  };
}

/** Codex goes on with `. Command: …` where the reason ends. */
export function denial(reason: string, riders: Riders = []): CodexAnswer {
  const context = joined(riders);
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: fitReason(reason.replace(/\.\s*$/, "")),
      ...(context === "" ? {} : { additionalContext: context }),
    },
  };
}

/** What does it get back? In code mode a replaced result would break the script, so that only feedback can be given. */
export function answerResult(
  delivered: Delivered,
  { codeMode, riders = [] }: { readonly codeMode: boolean; readonly riders?: Riders },
): CodexAnswer {
  const context = withContext("PostToolUse", [...riders, delivered.feedback]);
  if (!delivered.changed || codeMode) return context;
  const { exitCode, parts } = delivered.result;
  const status = exitCode === undefined || exitCode === 0 ? "" : `Process exited with code ${exitCode}\n`;
  const onFrom = (shown: number) =>
    `[A Codex hook carries 10 kB: read on with read_result from offset ${shown - status.length}, not from the one below.]`;
  return { decision: "block", reason: fitReason(`${status}${shownText(parts)}` || "(no output)", onFrom), ...context };
}

/** Is it done? */
export function answerStop(decision: StopDecision): CodexAnswer {
  if (!decision.done) return { decision: "block", reason: fitReason(decision.feedback) };
  if (decision.status === "complete") return {};
  return {
    systemMessage: `Conduct: the turn ended ${decision.status}${decision.feedback ? `. ${decision.feedback}` : ""}`,
  };
}

/** What is the agent told? Throws when Codex would cut it: an agent must not run on half of its instructions. */
export function answerPrompt(
  hookEventName: "SessionStart" | "SubagentStart" | "UserPromptSubmit",
  texts: Riders,
): CodexAnswer {
  const bytes = Buffer.byteLength(joined(texts));
  if (bytes > CONTEXT_TOKENS * 4) {
    throw new Error(`the agent's prompt has ${bytes} bytes, and a Codex hook carries ${CONTEXT_TOKENS * 4}`);
  }
  return withContext(hookEventName, texts);
}

/** No answer of a hook changes the text of a message, so that the model is told how to read it. */
export const MODES_HANDLED =
  "The message begins with words that switch modes of this session (/think, /verbose, /elevated, /modes). They were for Conduct, which has handled them: the message itself begins after them.";

/** The message was for Conduct alone: it is held back, and what Conduct answers stands in the reason. */
export function answerReply(lines: readonly string[]): CodexAnswer {
  return { decision: "block", reason: fitReason(lines.join("\n\n")) };
}

/** With lines for the person, who reads them where Codex shows what hooks say; the model never does. */
export function withShown(answer: CodexAnswer, ...lines: Riders): CodexAnswer {
  const systemMessage = joined([answer.systemMessage, ...lines]);
  return systemMessage === "" ? answer : { ...answer, systemMessage };
}

/** The safe answer when Conduct itself failed: nothing runs, and nothing unseen is passed on; a stop is not held up. */
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
  const additionalContext = joined(riders);
  return additionalContext === "" ? {} : { hookSpecificOutput: { hookEventName, additionalContext } };
}

function joined(texts: Riders): string {
  return texts.filter((text) => text !== undefined && text !== "").join("\n\n");
}

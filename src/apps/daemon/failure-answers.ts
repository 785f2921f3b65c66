import { answerFailure as blockClaudeCode } from "../../edge/adapters/claude-code/translate.ts";
import { answerFailure as blockCodex } from "../../edge/adapters/codex/translate.ts";
import { failureRule, isWatched, warnOnce } from "../../edge/host/watched/failure-rule.ts";

type AnswerFailure<A> = (event: string, cause: string) => A;

/** Blocks if Claude Code is enforced; passes with one warning if it is only observed. */
export function claudeCodeFailure(home: string): AnswerFailure<ReturnType<typeof blockClaudeCode>> {
  return (event, cause) => passing(home, "claude-code", cause) ?? blockClaudeCode(event, cause);
}

export function codexFailure(home: string): AnswerFailure<ReturnType<typeof blockCodex>> {
  return (event, cause) => passing(home, "codex", cause) ?? blockCodex(event, cause);
}

/** The answer that allows everything; `undefined` if the failure must block. */
function passing(home: string, runtime: string, cause: string): { readonly systemMessage?: string } | undefined {
  if (failureRule(home, runtime) === "block") return undefined;
  const systemMessage = isWatched(home, runtime) ? warnOnce(home, runtime, cause) : undefined;
  return systemMessage === undefined ? {} : { systemMessage };
}

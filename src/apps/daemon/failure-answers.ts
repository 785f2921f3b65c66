import { answerFailure as blockClaudeCode } from "../../edge/adapters/claude-code/translate.ts";
import { answerFailure as blockCodex } from "../../edge/adapters/codex/translate.ts";
import { failureRule, isWatched } from "../../edge/host/watched/failure-rule.ts";
import { warnOnce } from "../../edge/host/watched/warn-once.ts";

/** What a hook is answered when Conduct itself failed: `cause` says why. */
type AnswerFailure<A> = (event: string, cause: string) => A;

/** In Claude Code: blocked where it is enforced, passed with one warning where it is only watched. */
export function claudeCodeFailure(home: string): AnswerFailure<ReturnType<typeof blockClaudeCode>> {
  return (event, cause) => passing(home, "claude-code", cause) ?? blockClaudeCode(event, cause);
}

/** The same for Codex. */
export function codexFailure(home: string): AnswerFailure<ReturnType<typeof blockCodex>> {
  return (event, cause) => passing(home, "codex", cause) ?? blockCodex(event, cause);
}

/** The answer that lets everything pass; `undefined` where the failure has to block. */
function passing(home: string, runtime: string, cause: string): { readonly systemMessage?: string } | undefined {
  if (failureRule(home, runtime) === "block") return undefined;
  const systemMessage = isWatched(home, runtime) ? warnOnce(home, runtime, cause) : undefined;
  return systemMessage === undefined ? {} : { systemMessage };
}

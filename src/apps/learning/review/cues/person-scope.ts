import type { ContractScope } from "../../../../base/words/contract.ts";
import { isScope } from "../../../../behavior/contract/scopes.ts";
import type { SaidMessage } from "./said-message.ts";

/**
 * Where a wish would hold. An operator's holds everywhere, or for the agent they address by its name. A user's holds for that user; where
 * nobody knows which user it was, for the agent they spoke to: never everywhere. `undefined` where no scope can be named.
 */
export function scopeOf(message: SaidMessage, sentence: string): ContractScope | undefined {
  const agent: ContractScope = `agent:${message.agent}`;
  if (message.role === "operator") {
    if (!addresses(sentence, message.agent)) return "global";
    return isScope(agent) ? agent : "global";
  }
  const user = message.user ?? message.sender?.user;
  const scopes: readonly ContractScope[] = [...(user === undefined ? [] : [`user:${user}` as const]), agent];
  return scopes.find(isScope);
}

/** `Scout, stop …`, `@scout …`, `… , Scout.`: a name that is also a word counts only where it is called. */
function addresses(sentence: string, agent: string): boolean {
  const said = sentence.toLowerCase();
  const name = agent.toLowerCase();
  if (name.length < 2) return false;
  const at = said.indexOf(name);
  if (at < 0) return false;
  const before = said.slice(0, at).trimEnd();
  const after = said.slice(at + name.length);
  if (before.endsWith("@")) return true;
  const opens = /^(?:(?:hey|hi|ok|okay|so|and|please|yo)[\s,]*)?$/.test(before) && /^\s?[,:!]/.test(after);
  return opens || (before.endsWith(",") && /^\s*[.!?]*$/.test(after));
}

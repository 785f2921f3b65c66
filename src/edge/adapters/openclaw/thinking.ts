import type { Modes } from "../../../base/words/modes.ts";
import { agentOf } from "./conversations.ts";
import type { OpenClawApi } from "./native.ts";

/**
 * Has OpenClaw think as hard as `/think` says, from the next run on. Without think mode a level that was set before goes, and the
 * agent's own holds again. What cannot be set is left: a level is no rule.
 */
export async function setThinking(
  { agent }: OpenClawApi["runtime"],
  sessionKey: string | undefined,
  { think, thinkLevel }: Modes,
): Promise<void> {
  if (sessionKey === undefined) return;
  const name = { agentId: agentOf(sessionKey), sessionKey };
  const entry = agent.session.getSessionEntry(name);
  const level = think ? thinkLevel : undefined;
  if (entry === undefined || (think && level === undefined) || (entry.thinkingLevel ?? undefined) === level) return;
  await agent.session.patchSessionEntry({ ...name, update: () => ({ thinkingLevel: level }) }).catch(() => undefined);
}

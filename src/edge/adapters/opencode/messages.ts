import { asObject, isObject } from "../../../base/kernel/json.ts";
import type { LiveSession } from "./live-session.ts";
import type { MessagePart, OpencodeClient, OpencodeModel, UserMessage } from "./native.ts";
import { switchTools } from "./own-tools.ts";
import type { Show } from "./person.ts";
import { overlaid, thinkingOptions } from "./thinking.ts";
import { toolName } from "./tool-map.ts";
import { isTyped, withoutStart } from "./translate.ts";

/** OpenCode's own helpers: they have no tools, and what an agent is told is not for them. */
const HELPERS = new Set(["title", "summary", "compaction"]);

/** A message comes in. With a reply it was for Conduct, and must not go on. Rejects when Conduct cannot be asked. */
export async function onMessage(
  live: LiveSession,
  { message, parts }: { readonly message: UserMessage; parts: MessagePart[] },
  show: Show,
): Promise<{ readonly reply?: string }> {
  if (isRefusal(live, parts)) {
    live.refusal = undefined;
    openTurn(live, message);
    return {};
  }
  // A note that a plugin leaves for the person, and that no model is shown.
  if (parts.every(({ type, ignored }) => type === "text" && ignored === true)) return {};
  await live.ending;
  const { session } = live;
  const typed = parts.filter(isTyped);
  const text = typed.map((part) => part.text ?? "").join("\n");
  // What a subagent is told was written by a model: it must not elevate, whoever the session's operator is.
  const sender = live.isChild ? { sender: { role: "viewer" } as const } : {};
  let heard = await session.onMessage({ text, ...sender });
  show(...heard.notes, session.takeDebug());
  if (heard.reply !== undefined) {
    show(heard.reply);
    if (typed.length === parts.length) return { reply: heard.reply };
    // What was attached is for the model all the same.
    heard = { ...(await session.onMessage({ text: "", ...sender })), text: "" };
  }
  live.prompt = await promptOf(live, message.model.modelID);
  live.modes = heard.modes;
  // A message that comes while the model works has ended the step for the engine.
  live.step = undefined;
  openTurn(live, message);
  cutStart(parts, typed, text.length - heard.text.length);
  return {};
}

function isRefusal({ refusal }: LiveSession, parts: readonly MessagePart[]): boolean {
  return refusal !== undefined && parts.some(({ metadata }) => metadata?.conduct === refusal);
}

function openTurn(live: LiveSession, message: UserMessage): void {
  switchTools(message, live.session);
  live.message = message;
  live.turn = "open";
}

/** Takes the words of modes out; a part that had nothing else goes. */
function cutStart(parts: MessagePart[], typed: readonly MessagePart[], length: number): void {
  if (length === 0) return;
  const rest = withoutStart(
    typed.map(({ text = "" }) => text),
    length,
  );
  for (const [index, part] of typed.entries()) {
    part.text = rest[index] ?? "";
    if (part.text === "" && parts.length > 1) parts.splice(parts.indexOf(part), 1);
  }
}

async function promptOf({ session }: LiveSession, modelID: string): Promise<string> {
  return (await session.onPrompt({ toolName: (tool) => toolName(tool, modelID) })).text;
}

/** A request of the agent's goes out: it carries the prompt, the same one through the whole turn. */
export async function onRequest(live: LiveSession, model: OpencodeModel, system: string[]): Promise<void> {
  const name = `${model.providerID}/${model.id}`;
  if (live.model !== name) {
    live.model = name;
    const window = model.limit.context > 0 ? { window: model.limit.context } : {};
    live.session.notice({ kind: "started", adapter: "opencode", model: name, ...window });
  }
  live.prompt ??= await promptOf(live, model.id);
  if (live.prompt !== "") system.push(live.prompt);
}

/** Sets how much the model is asked to think. */
export function onParams(
  live: LiveSession | undefined,
  input: { readonly agent: string; readonly model: object; readonly message: object },
  output: { options: Record<string, unknown> },
): void {
  if (live?.modes === undefined || HELPERS.has(input.agent)) return;
  const own = asObject(asObject(input.message).model).variant;
  const variants = asObject(asObject(input.model).variants);
  const over = thinkingOptions(live.modes, variants, typeof own === "string" ? own : undefined);
  if (over !== undefined) output.options = overlaid(asObject(output.options), over);
}

/** What the requests of OpenCode's own helpers begin with: nothing else tells them from the agent's. */
export async function helperPrompts(client: OpencodeClient): Promise<readonly string[]> {
  const { data } = await client.app.agents();
  const agents = Array.isArray(data) ? data.filter(isObject) : [];
  return agents.flatMap(({ name, prompt }) =>
    HELPERS.has(String(name)) && typeof prompt === "string" && prompt !== "" ? [prompt] : [],
  );
}

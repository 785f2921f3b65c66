import { asObject, isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { Modes } from "../../../base/words/modes.ts";
import { withoutStart } from "../shared/content.ts";
import { type LiveSession, type Show, switchTools } from "./live-session.ts";
import type { MessagePart, OpencodeClient, OpencodeModel, UserMessage } from "./native.ts";
import { toolName } from "./tool-map.ts";
import { isTyped } from "./translate.ts";

/** OpenCode's own helper agents: they have no tools, and do not get the agent's prompt. */
const HELPERS = new Set(["title", "summary", "compaction"]);

/** The moment `message`. With a `reply` the message was for Conduct alone and must be blocked. */
export async function onMessage(
  live: LiveSession,
  { message, parts }: { readonly message: UserMessage; parts: MessagePart[] },
  show: Show,
): Promise<{ readonly reply?: string }> {
  const { refusal } = live;
  if (refusal !== undefined && parts.some(({ metadata }) => metadata?.conduct === refusal)) {
    live.refusal = undefined;
    openTurn(live, message);
    return {};
  }
  // A plugin's note for the person, which no model sees.
  if (parts.every(({ type, ignored }) => type === "text" && ignored === true)) return {};
  await live.ending;
  const { session } = live;
  const typed = parts.filter(isTyped);
  const text = typed.map((part) => part.text ?? "").join("\n");
  // A model wrote the subagent's message: it must not elevate, even in an operator's session.
  const sender = live.isChild ? ({ role: "viewer" } as const) : undefined;
  let heard = await session.onMessage({ text, sender });
  show(...heard.notes, session.takeDebug());
  if (heard.reply !== undefined) {
    show(heard.reply);
    if (typed.length === parts.length) return { reply: heard.reply };
    // The attachments are for the model anyway.
    heard = { ...(await session.onMessage({ text: "", sender })), text: "" };
  }
  live.prompt = await promptOf(live, message.model.modelID);
  live.modes = heard.modes;
  // The engine ends the step at a message during a turn.
  live.step = undefined;
  openTurn(live, message);
  cutStart(parts, typed, text.length - heard.text.length);
  return {};
}

function openTurn(live: LiveSession, message: UserMessage): void {
  switchTools(message, live.session);
  live.message = message;
  live.turn = "open";
}

/** Removes the mode words; a part with nothing else is dropped. */
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

/** The moment `prompt`: every request of a turn gets the same prompt. */
export async function onRequest(live: LiveSession, model: OpencodeModel, system: string[]): Promise<void> {
  const name = `${model.providerID}/${model.id}`;
  if (live.model !== name) {
    live.model = name;
    live.session.notice({
      kind: "started",
      adapter: "opencode",
      model: name,
      window: model.limit.context || undefined,
    });
  }
  live.prompt ??= await promptOf(live, model.id);
  if (live.prompt !== "") system.push(live.prompt);
}

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

/** The beginnings of the helpers' requests; nothing else distinguishes them from the agent's. */
export async function helperPrompts(client: OpencodeClient): Promise<readonly string[]> {
  const { data } = await client.app.agents();
  const agents = Array.isArray(data) ? data.filter(isObject) : [];
  return agents.flatMap(({ name, prompt }) =>
    HELPERS.has(String(name)) && typeof prompt === "string" && prompt !== "" ? [prompt] : [],
  );
}

/** OpenCode's names of thinking levels, from least to most. */
const LEVELS = ["minimal", "low", "medium", "high", "xhigh", "max"];

/**
 * The provider's request options for think mode; `undefined` leaves them unchanged. A named level is used, or the
 * nearest one that the model has. /think alone asks for medium, and never lowers a level.
 */
export function thinkingOptions(modes: Modes, variants: JsonObject, own: string | undefined): JsonObject | undefined {
  if (!modes.think) return undefined;
  const wanted = LEVELS.indexOf(modes.thinkLevel ?? "medium");
  if (modes.thinkLevel === undefined && LEVELS.indexOf(own ?? "") >= wanted) return undefined;
  const [nearest] = LEVELS.filter((level) => isObject(variants[level])).sort(
    (a, b) => Math.abs(LEVELS.indexOf(a) - wanted) - Math.abs(LEVELS.indexOf(b) - wanted),
  );
  const options = nearest === undefined ? undefined : variants[nearest];
  return isObject(options) ? options : undefined;
}

/** Merges options deeply, as OpenCode itself does. */
export function overlaid(options: JsonObject, over: JsonObject): JsonObject {
  const entries = Object.entries(over).map(([name, value]) => {
    const below = options[name];
    return [name, isObject(below) && isObject(value) ? overlaid(below, value) : value] as const;
  });
  return { ...options, ...Object.fromEntries(entries) };
}

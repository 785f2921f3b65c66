import { asList, asObject, asString } from "../../src/base/kernel/json.ts";
import type { Json } from "../../src/base/words/json.ts";
import { CONDUCT_TOOLS } from "../../src/engine/tools/conduct-tool.ts";
import type { ModelRequest, ScriptedReply } from "../../src/testing/test/model-server/index.ts";

/** Where the newest whole prompt begins. */
const PROMPT = "## Identity";
/** Why a call was refused stands in a prompt of its own, after the results of the response that made it. */
const REFUSED = "Conduct checks your calls for the operator and has refused";

/**
 * A request with what an ACP agent is told in its prompts where the kit looks for it: what it was told before, in the system text,
 * unless the last prompt replaces it; and why a call was refused, with the call.
 */
export function acpRequest(request: ModelRequest): ModelRequest {
  const messages = asList(asObject(JSON.parse(request.raw)).messages);
  const told = request.lastUserText.includes(PROMPT) ? [] : texts(messages, "user").slice(0, -1);
  return {
    ...request,
    system: [request.system, ...told].join("\n\n"),
    results: request.results.map((result) => ({ ...result, text: withReason(messages, result.callId, result.text) })),
  };
}

function withReason(messages: readonly Json[], callId: string, text: string): string {
  const at = messages.findIndex((message) => asObject(message).tool_call_id === callId);
  const after = messages.slice(at + 1).find((message) => asObject(message).role !== "tool");
  const reason = at < 0 || asObject(after).role !== "user" ? "" : textOf(after);
  return reason.includes(REFUSED) ? `${text}\n${reason.slice(reason.indexOf(REFUSED))}` : text;
}

function texts(messages: readonly Json[], role: string): readonly string[] {
  return messages.filter((message) => asObject(message).role === role).map(textOf);
}

function textOf(message: Json | undefined): string {
  const { content } = asObject(message);
  if (typeof content === "string") return content;
  return asList(content)
    .map((part) => asString(asObject(part).text))
    .join("\n");
}

/** Conduct's own tools are an MCP server's here, and OpenCode puts its name before theirs. */
export function withServerNames(reply: ScriptedReply): ScriptedReply {
  if (!("calls" in reply)) return reply;
  const isOwn = (name: string) => CONDUCT_TOOLS.some((tool) => tool.name === name);
  const calls = reply.calls?.map((call) => (isOwn(call.name) ? { ...call, name: `conduct_${call.name}` } : call));
  return { ...reply, ...(calls === undefined ? {} : { calls }) };
}

import { isDeepStrictEqual } from "node:util";
import { asObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { renderDenial } from "../../../behavior/policy/render-denial.ts";
import { parseExactly, type RpcId, resultMessage } from "../mcp/json-rpc.ts";
import { rewriteRefusal } from "../rewrite-input.ts";
import type { LiveSession } from "./live-session.ts";
import { mergeSeen, type ToolSeen } from "./native.ts";
import { type Around, permit, show } from "./permit.ts";
import { type Mapped, mapTool } from "./tool-map.ts";
import { choose, chosenIn, refusalText, unreadable, withoutAlways } from "./translate.ts";

/** How long an agent that asks before it has told what it would do is given to tell it. */
const TELL_MS = 2_000;

/** The agent asks permission. Conduct decides first; what it lets pass is still the person's to allow. */
export async function onPermission(
  live: LiveSession,
  id: RpcId,
  params: JsonObject,
  raw: string | Buffer,
  around: Around,
): Promise<void> {
  const { wire } = around;
  const seen = await tellingOf(live, asObject(params.toolCall));
  const mapped = mapTool(seen, live);
  if (mapped.kind === "own") {
    // It is decided on where it runs, which is here.
    const { raw: answer } = await wire.askClient(id, onceOnly(raw));
    wire.toAgent(answer);
    return;
  }
  const call = mapped.kind === "call" ? callOf(live, seen, mapped) : undefined;
  const decided =
    call === undefined
      ? ({ kind: "refused", text: await refuseUnreadable(live, mapped) } as const)
      : await permit(live, call, around);
  const refusal = decided.kind === "refused" ? decided.text : await refuseRewrite(live, call, decided.input);
  if (refusal !== undefined || call === undefined || decided.kind === "refused") {
    const text = refusalText(seen.title, refusal ?? "");
    live.done.add(seen.id);
    live.denials.push(text);
    show(live, around, `Conduct refused: ${text}`);
    wire.toAgent(resultMessage(id, choose(params, "reject_once", "reject_always")));
    return;
  }
  live.advice.push(...decided.advice);
  if (decided.asked) {
    grant(live, seen.id, call);
    wire.toAgent(resultMessage(id, choose(params, "allow_once", "allow_always")));
    return;
  }
  const { body, raw: answer } = await wire.askClient(id, decided.watched ? raw : onceOnly(raw));
  const chosen = chosenIn(params, body);
  if (chosen === "allowed") grant(live, seen.id, call);
  else {
    live.done.add(seen.id);
    const session = await live.moments();
    await session.onResult(call, { outcome: chosen === "rejected" ? "denied" : "cancelled", parts: [] });
  }
  wire.toAgent(answer);
}

/** The call as it stands when it can be decided on: some agents ask before they have told what it is about. */
async function tellingOf(live: LiveSession, toolCall: JsonObject): Promise<ToolSeen> {
  const asked = mergeSeen(undefined, toolCall);
  const isTold = () => Object.keys(live.seen.get(asked.id)?.input ?? {}).length > 0;
  if (live.seen.has(asked.id) && !isTold()) {
    await new Promise<void>((resolve) => {
      const look = () => {
        if (!isTold()) return;
        clearTimeout(late);
        over();
      };
      const over = () => {
        live.waiting.delete(look);
        resolve();
      };
      const late = setTimeout(over, TELL_MS);
      live.waiting.add(look);
    });
  }
  const seen = mergeSeen(live.seen.get(asked.id), toolCall);
  live.seen.set(seen.id, seen);
  return seen;
}

/** A second question about one call that is about something else is another call. */
function callOf(live: LiveSession, { id }: ToolSeen, { call }: Extract<Mapped, { kind: "call" }>): CallInput {
  const before = live.granted.get(id) ?? [];
  const same = before.find((one) => one.tool === call.tool && isDeepStrictEqual(one.args, call.args));
  return same ?? { id: before.length === 0 ? id : `${id}.${before.length + 1}`, ...call };
}

function grant(live: LiveSession, id: string, call: CallInput): void {
  const before = live.granted.get(id) ?? [];
  if (!before.includes(call)) live.granted.set(id, [...before, call]);
}

async function refuseUnreadable(live: LiveSession, mapped: Mapped): Promise<string> {
  const denial = unreadable(mapped.kind === "unreadable" ? mapped.why : "it cannot be read");
  const session = await live.moments().catch(() => undefined);
  session?.notice({ kind: "fault", fault: { where: "acp permission", code: "bad-call", message: denial.reason } });
  return renderDenial(denial);
}

/** The answer to a permission request cannot change the call. */
async function refuseRewrite(
  live: LiveSession,
  call: CallInput | undefined,
  input: JsonObject | undefined,
): Promise<string | undefined> {
  if (call === undefined || input === undefined) return undefined;
  const session = await live.moments();
  await session.onResult(call, { outcome: "cancelled", parts: [] });
  const changed = Object.keys(input).filter((name) => !isDeepStrictEqual(input[name], call.args[name]));
  const message = rewriteRefusal(call.tool, "an agent behind ACP", changed);
  session.notice({ kind: "fault", fault: { where: "acp permission", code: "rewrite", message } });
  return message;
}

function onceOnly(raw: string | Buffer): string | Buffer {
  const changed = withoutAlways(asObject(parseExactly(raw.toString())));
  return changed === undefined ? raw : JSON.stringify(changed);
}

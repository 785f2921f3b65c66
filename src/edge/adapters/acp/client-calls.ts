import { resolve } from "node:path";
import { asObject, asString } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { shownText } from "../../../behavior/results/result-text.ts";
import { errorMessage, parseExactly, type RpcId } from "../mcp/json-rpc.ts";
import { type Carriers, rewriteInput, rewriteRefusal } from "../rewrite-input.ts";
import { handledKey, type LiveSession } from "./live-session.ts";
import { DENIED } from "./native.ts";
import { type Around, type Permitted, permit } from "./permit.ts";
import { mapRead, mapWrite } from "./tool-map.ts";
import type { Response } from "./wire.ts";

type Run = Extract<Permitted, { kind: "run" }>;

/** A request that the agent makes of the client, and that Conduct decides on. */
export type ClientCall = {
  readonly live: LiveSession;
  readonly id: RpcId;
  readonly params: JsonObject;
  readonly raw: string | Buffer;
  readonly around: Around;
};

const CARRIED: Readonly<Record<string, Carriers>> = {
  read_file: { path: "path", offset: "line", limit: "limit" },
  write_file: { path: "path", content: "content" },
};

/** `fs/read_text_file`: what the agent gets is what Conduct lets it have. */
export async function onRead(asked: ClientCall): Promise<void> {
  const { live, around, params } = asked;
  const call = { id: around.newId(), ...mapRead(params, live) };
  await runThrough(asked, call, CARRIED.read_file ?? {}, async (response) => {
    const session = await live.moments();
    const { content } = asObject(response.body.result);
    const text = asString(content);
    const failed = response.body.error !== undefined;
    const delivered = await session.onResult(call, {
      outcome: failed ? "failed" : "ok",
      parts: [{ kind: "text", text: failed ? JSON.stringify(response.body.error) : text }],
    });
    if (delivered.feedback !== undefined) live.advice.push(delivered.feedback);
    if (failed) return response.raw;
    const path = resolve(live.cwd, asString(params.path));
    if (!delivered.changed) {
      live.altered.delete(path);
      return response.raw;
    }
    const given = shownText(delivered.result.parts);
    if (delivered.result.outcome !== "ok") return errorMessage(asked.id, DENIED, given);
    live.altered.add(path);
    const exact = asObject(parseExactly(response.raw.toString()));
    return JSON.stringify({ ...exact, result: { ...asObject(exact.result), content: given } });
  });
}

/** `fs/write_text_file`. What was read shortened must not be written back. */
export async function onWrite(asked: ClientCall): Promise<void> {
  const { live, around, params } = asked;
  const path = resolve(live.cwd, asString(params.path));
  if (live.altered.has(path))
    return refuse(
      asked,
      `Denied by conduct: what was last read of ${path} was shortened or changed on its way, so that writing the whole file would lose text.\nNext: read it again in parts, with line and limit, then write it.`,
    );
  if (isGranted(live, path, asString(params.content))) {
    const { raw } = await around.wire.askClient(asked.id, asked.raw);
    return around.wire.toAgent(raw);
  }
  const call = { id: around.newId(), ...mapWrite(params, live) };
  await runThrough(asked, call, CARRIED.write_file ?? {}, async ({ body, raw }) => {
    const session = await live.moments();
    const failed = body.error !== undefined;
    const parts = failed ? [{ kind: "text", text: JSON.stringify(body.error) } as const] : [];
    const delivered = await session.onResult(
      call,
      { outcome: failed ? "failed" : "ok", parts },
      { replaceable: false },
    );
    if (delivered.feedback !== undefined) live.advice.push(delivered.feedback);
    return raw;
  });
}

/** The very text that was decided on when the agent asked for it: the same call, which the agent tells the end of. */
function isGranted(live: LiveSession, path: string, content: string): boolean {
  return [...live.granted].some(([id, calls]) =>
    calls.some(
      ({ args, paths = [] }) =>
        paths.some((one) => one.path === path && one.access === "write") &&
        (args.content === content || diffText(live.seen.get(id)?.content ?? [], path, live.cwd) === content),
    ),
  );
}

function diffText(shown: readonly Json[], path: string, cwd: string): string | undefined {
  const diff = shown.map(asObject).find((one) => one.type === "diff" && resolve(cwd, asString(one.path)) === path);
  return diff === undefined ? undefined : asString(diff.newText);
}

/** Decides, passes the request on with what rules have changed, and hands the answer to `deliver` on its way back. */
async function runThrough(
  asked: ClientCall,
  call: CallInput,
  carriers: Carriers,
  deliver: (response: Response) => Promise<string | Buffer>,
): Promise<void> {
  const { live, id, params, raw, around } = asked;
  const permitted = await permit(live, call, around);
  if (permitted.kind === "refused") return refuse(asked, permitted.text);
  const session = await live.moments();
  const request = rewritten(raw, params, call, permitted, carriers);
  if (request === undefined) {
    await session.onResult(call, { outcome: "cancelled", parts: [] });
    return refuse(asked, rewriteRefusal(call.tool, "a client of ACP", Object.keys(permitted.input ?? {})));
  }
  live.handled.add(handledKey(call));
  live.advice.push(...permitted.advice);
  try {
    around.wire.toAgent(await deliver(await around.wire.askClient(id, request)));
  } catch (error) {
    await session.onResult(call, { outcome: "unknown", parts: [] });
    throw error;
  }
}

/** The agent reads why, as the error of its request. */
export function refuse({ id, around }: ClientCall, text: string): void {
  around.wire.toAgent(errorMessage(id, DENIED, text));
}

function rewritten(
  raw: string | Buffer,
  params: JsonObject,
  call: CallInput,
  { input }: Run,
  carriers: Carriers,
): string | Buffer | undefined {
  if (input === undefined) return raw;
  const change = rewriteInput(params, call.args, input, carriers);
  if ("cannot" in change) return undefined;
  return JSON.stringify({ ...asObject(parseExactly(raw.toString())), params: change.input });
}

import { resolve } from "node:path";
import { asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { ToolResult } from "../../../base/words/result.ts";
import { shownText } from "../../../behavior/results/result-text.ts";
import { exitResult, feedbackOf, joinTexts } from "../shared/content.ts";
import { changeParams, changeResult, errorMessage, type Response } from "../shared/mcp/json-rpc.ts";
import { refuseRewrite } from "../shared/refusals.ts";
import { type Carriers, rewriteInput } from "../shared/tool-args.ts";
import { handledKey, type LiveSession, type Terminal } from "./live-session.ts";
import { type Asked, type Permitted, permit } from "./permissions.ts";
import { mapRead, mapTerminal, mapWrite } from "./tool-map.ts";
import { DENIED } from "./translate.ts";

/** `fs/read_text_file`: the agent gets the text as Conduct delivers it. */
export async function onRead(asked: Asked): Promise<void> {
  const { live, around, params } = asked;
  const call = { id: around.newId(), ...mapRead(params, live) };
  await runThrough(asked, call, { path: "path", offset: "line", limit: "limit" }, async (response) => {
    const session = await live.moments();
    const result = fileResult(response.body, asString(asObject(response.body.result).content));
    const delivered = await session.onResult(call, result);
    live.advice.push(...feedbackOf(delivered));
    if (result.outcome === "failed") return response.raw;
    const path = resolve(live.cwd, asString(params.path));
    if (!delivered.changed) {
      live.altered.delete(path);
      return response.raw;
    }
    const given = shownText(delivered.result.parts);
    if (delivered.result.outcome !== "ok") return errorMessage(asked.id, DENIED, given);
    live.altered.add(path);
    return changeResult(response.raw, (result) => ({ ...result, content: given }));
  });
}

/** `fs/write_text_file`. A file that was read shortened must not be written back. */
export async function onWrite(asked: Asked): Promise<void> {
  const { live, around, params } = asked;
  const path = resolve(live.cwd, asString(params.path));
  if (live.altered.has(path))
    return refuse(
      asked,
      `Denied by conduct: the last read of ${path} was shortened or changed, so writing the whole file would lose text.\nNext: read it again in parts, with line and limit, then write it.`,
    );
  if (isGranted(live, path, asString(params.content))) {
    const { raw } = await around.wire.askClient(asked.id, asked.raw);
    return around.wire.toAgent(raw);
  }
  const call = { id: around.newId(), ...mapWrite(params, live) };
  await runThrough(asked, call, { path: "path", content: "content" }, async ({ body, raw }) => {
    const session = await live.moments();
    const result = fileResult(body, "");
    live.advice.push(...feedbackOf(await session.onResult(call, result, { replaceable: false })));
    return raw;
  });
}

function fileResult({ error }: JsonObject, text: string): ToolResult {
  if (error !== undefined) return { outcome: "failed", parts: [{ kind: "text", text: JSON.stringify(error) }] };
  return { outcome: "ok", parts: text === "" ? [] : [{ kind: "text", text }] };
}

/** Was this very text allowed when the agent asked permission? Then it is the same call. */
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

/** Decides, forwards the request as rules rewrote it, and gives the response to `deliver`. */
async function runThrough(
  asked: Asked,
  call: CallInput,
  carriers: Carriers,
  deliver: (response: Response) => Promise<string | Buffer>,
): Promise<void> {
  const { live, id, params, raw, around } = asked;
  const permitted = await permit(live, call, around);
  if (permitted.kind === "refused") return refuse(asked, permitted.text);
  const session = await live.moments();
  const change = rewriteInput(params, call.args, permitted.input ?? call.args, carriers);
  if ("cannot" in change) {
    const way = { runtime: "a client of ACP", where: "acp client", cannot: change.cannot };
    return refuse(asked, await refuseRewrite(session, call, way));
  }
  const request = permitted.input === undefined ? raw : changeParams(raw, () => change.input);
  live.handled.add(handledKey(call));
  live.advice.push(...permitted.advice);
  try {
    around.wire.toAgent(await deliver(await around.wire.askClient(id, request)));
  } catch (error) {
    await session.onResult(call, { outcome: "unknown", parts: [] });
    throw error;
  }
}

function refuse({ id, around }: Asked, text: string): void {
  around.wire.toAgent(errorMessage(id, DENIED, text));
}

/** `terminal/create`: runs the command if it is allowed, as rules rewrote it. */
export async function onCreate(asked: Asked): Promise<void> {
  const { live, id, params, raw, around } = asked;
  const made = { id: around.newId(), ...mapTerminal(params, live) };
  const granted = takeGranted(live, made);
  const call = granted ?? made;
  // This very command was allowed when the agent asked permission.
  const permitted: Permitted =
    granted === undefined
      ? await permit(live, call, around)
      : { kind: "run", advice: [], asked: false, watched: false };
  if (permitted.kind === "refused") return refuse(asked, permitted.text);
  live.handled.add(handledKey(call));
  try {
    const command = permitted.input?.command;
    // The rewritten command runs in a shell.
    const inShell = (given: JsonObject): JsonObject => ({ ...given, command: "sh", args: ["-c", command ?? ""] });
    const request = typeof command === "string" ? changeParams(raw, inShell) : raw;
    const response = await around.wire.askClient(id, request);
    const terminal = asString(asObject(response.body.result).terminalId);
    if (terminal !== "") live.terminals.set(terminal, { call, advice: permitted.advice });
    else await (await live.moments()).onResult(call, { outcome: "failed", parts: [] });
    around.wire.toAgent(response.raw);
  } catch (error) {
    await (await live.moments()).onResult(call, { outcome: "unknown", parts: [] });
    throw error;
  }
}

/** `terminal/output`: the output of a finished command is the call's result. */
export async function onOutput(asked: Asked): Promise<void> {
  const { live, id, params, raw, around } = asked;
  const { body, raw: answer } = await around.wire.askClient(id, raw);
  const terminal = live.terminals.get(asString(params.terminalId));
  const { output, exitStatus } = asObject(body.result);
  if (terminal === undefined || body.error !== undefined) return around.wire.toAgent(answer);
  if (isObject(exitStatus)) terminal.exit = exitOf(exitStatus);
  if (terminal.exit === undefined) return around.wire.toAgent(answer);
  const text = asString(output);
  terminal.given ??= await deliver(live, terminal, text);
  if (terminal.given === text) return around.wire.toAgent(answer);
  const { given } = terminal;
  around.wire.toAgent(changeResult(answer, (result) => ({ ...result, output: given })));
}

export async function onExit({ live, id, params, raw, around }: Asked): Promise<void> {
  const { body, raw: answer } = await around.wire.askClient(id, raw);
  const terminal = live.terminals.get(asString(params.terminalId));
  if (terminal !== undefined && isObject(body.result)) terminal.exit = exitOf(body.result);
  around.wire.toAgent(answer);
}

/** `terminal/release`: the call is over, even if the agent never read its output. */
export async function onRelease({ live, params, raw, around }: Asked): Promise<void> {
  const id = asString(params.terminalId);
  const terminal = live.terminals.get(id);
  live.terminals.delete(id);
  if (terminal !== undefined && terminal.given === undefined) await deliver(live, terminal, "");
  around.wire.toClient(raw);
}

async function deliver(live: LiveSession, { call, advice, exit }: Terminal, output: string): Promise<string> {
  const session = await live.moments();
  const result = { ...exitResult(exit), parts: [{ kind: "text", text: output } as const] };
  const { changed, result: given, feedback } = await session.onResult(call, result);
  const text = changed ? shownText(given.parts) : output;
  return joinTexts([...advice, text, feedback]);
}

/** A call with the same command and folder that was allowed when the agent asked permission. */
function takeGranted(live: LiveSession, { args, cwd }: CallInput): CallInput | undefined {
  for (const [id, calls] of live.granted) {
    const same = calls.find((one) => one.tool === "shell" && one.args.command === args.command && one.cwd === cwd);
    if (same === undefined) continue;
    live.granted.delete(id);
    live.done.add(id);
    return same;
  }
  return undefined;
}

function exitOf({ exitCode }: JsonObject): number | null {
  return typeof exitCode === "number" ? exitCode : null;
}

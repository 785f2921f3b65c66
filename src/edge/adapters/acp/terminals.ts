import { asObject, asString, isObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { shownText } from "../../../behavior/results/result-text.ts";
import { parseExactly } from "../mcp/json-rpc.ts";
import { type ClientCall, refuse } from "./client-calls.ts";
import { handledKey, type LiveSession, type Terminal } from "./live-session.ts";
import { exitResult } from "./outcome-map.ts";
import { type Permitted, permit } from "./permit.ts";
import { mapTerminal } from "./tool-map.ts";

/** `terminal/create`: the command runs when Conduct lets it, and as rules have rewritten it. */
export async function onCreate(asked: ClientCall): Promise<void> {
  const { live, id, params, raw, around } = asked;
  const made = { id: around.newId(), ...mapTerminal(params, live) };
  const granted = takeGranted(live, made);
  const call = granted ?? made;
  // What the person was shown and Conduct has decided on, when the agent asked for it, is this very command.
  const permitted: Permitted =
    granted === undefined
      ? await permit(live, call, around)
      : { kind: "run", advice: [], asked: false, watched: false };
  if (permitted.kind === "refused") return refuse(asked, permitted.text);
  live.handled.add(handledKey(call));
  try {
    const response = await around.wire.askClient(id, withCommand(raw, permitted.input?.command));
    const terminal = asString(asObject(response.body.result).terminalId);
    if (terminal !== "") live.terminals.set(terminal, { call, advice: permitted.advice });
    else await (await live.moments()).onResult(call, { outcome: "failed", parts: [] });
    around.wire.toAgent(response.raw);
  } catch (error) {
    await (await live.moments()).onResult(call, { outcome: "unknown", parts: [] });
    throw error;
  }
}

/** `terminal/output`: when the command is over, its output is the call's result, and goes on as Conduct delivers it. */
export async function onOutput(asked: ClientCall): Promise<void> {
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
  const exact = asObject(parseExactly(answer.toString()));
  const result = { ...asObject(exact.result), output: terminal.given };
  around.wire.toAgent(JSON.stringify({ ...exact, result }));
}

/** `terminal/wait_for_exit` */
export async function onExit({ live, id, params, raw, around }: ClientCall): Promise<void> {
  const { body, raw: answer } = await around.wire.askClient(id, raw);
  const terminal = live.terminals.get(asString(params.terminalId));
  if (terminal !== undefined && isObject(body.result)) terminal.exit = exitOf(body.result);
  around.wire.toAgent(answer);
}

/** `terminal/release`: an agent that has not looked at the output has got no result, but the call is over. */
export async function onRelease({ live, params, raw, around }: ClientCall): Promise<void> {
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
  return [...advice, text, ...(feedback === undefined ? [] : [feedback])].filter((part) => part !== "").join("\n\n");
}

/** A call that was allowed when the agent asked for it, with the same command in the same folder. */
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

/** A line is a shell's to run, whatever program and words it was before. */
function withCommand(raw: string | Buffer, command: unknown): string | Buffer {
  if (typeof command !== "string") return raw;
  const exact = asObject(parseExactly(raw.toString()));
  return JSON.stringify({ ...exact, params: { ...asObject(exact.params), command: "sh", args: ["-c", command] } });
}

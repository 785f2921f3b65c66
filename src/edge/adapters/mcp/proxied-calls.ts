import { asList, asObject, isObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { CONDUCT_TOOLS } from "../../../engine/tools/conduct-tool.ts";
import { feedbackOf } from "../shared/content.ts";
import {
  CONNECTION_CLOSED,
  errorMessage,
  INVALID_PARAMS,
  keyOf,
  parseExactly,
  type RpcId,
  resultMessage,
} from "../shared/mcp/json-rpc.ts";
import { declareTools, type McpCall, mapOwnCall, ownResult, refusal } from "../shared/own-tools.ts";
import { rewriteInput } from "../shared/tool-args.ts";
import type { Elicitations } from "./elicitations.ts";
import { handleCall, type Ran, Turns } from "./moments.ts";
import type { ProxyOptions, Response, Sides } from "./proxy.ts";
import { reshape, shapeOf, taskOf } from "./result-shape.ts";

/** Reads a `tools/call`, or returns why it cannot be read. Arguments are optional. */
export function readCall(params: JsonObject): McpCall | { readonly fault: string } {
  const { name } = params;
  const args = params.arguments ?? {};
  if (typeof name !== "string" || name === "") return { fault: "tools/call needs the name of a tool" };
  return isObject(args) ? { name, arguments: args } : { fault: `the arguments of '${name}' are not an object` };
}

/** A call of a proxied server in Conduct's vocabulary. The operator names the server, never the server itself. */
export function mapCall(server: string, call: McpCall, id: string): CallInput {
  const { name, arguments: args } = call;
  return { id, tool: `${server}/${name}`, args, native: { runtime: "mcp", server, name, input: args } };
}

/** Programs that only start another one; the server's name follows them. */
const LAUNCHERS = /^(npx|npm|node|bun|bunx|deno|uv|uvx|pipx|python[\d.]*|docker|podman|env|sh|bash|exec|run|-.*)$/;

/** The default name of a server: its host, or its program. */
export function serverName(target: { readonly url: URL } | { readonly command: readonly string[] }): string {
  if ("url" in target) return cleanName(target.url.hostname);
  const words = target.command.map((word) => word.split(/[\\/]/).at(-1) ?? word);
  const program = words.find((word) => !LAUNCHERS.test(word) && !word.includes("=")) ?? words[0] ?? "";
  return cleanName(program.replace(/\.[cm]?[jt]s$|\.py$|\.exe$|(?<=.)@[^@]*$/, ""));
}

/** A name for rules: no `/`, and no character that needs quoting. */
export function cleanName(name: string): string {
  return name.replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "");
}

export const READ_RESULT = "read_result";

const READ_RESULT_TOOL = declareTools(CONDUCT_TOOLS.filter(({ name }) => name === READ_RESULT));

export function listedNames(response: JsonObject): readonly string[] {
  return asList(asObject(response.result).tools).flatMap((tool) =>
    isObject(tool) && typeof tool.name === "string" ? [tool.name] : [],
  );
}

/** Appends Conduct's `read_result` to the last page of a server's tools, unless the server has a tool of that name. */
export function withReadResult(raw: string | Buffer, taken: ReadonlySet<string>): string | Buffer {
  const exact = asObject(parseExactly(raw.toString()));
  const { result } = exact;
  if (!isObject(result) || !Array.isArray(result.tools) || typeof result.nextCursor === "string") return raw;
  if (taken.has(READ_RESULT)) return raw;
  const tools: readonly Json[] = [...asList(result.tools), ...READ_RESULT_TOOL];
  return JSON.stringify({ ...exact, result: { ...result, tools } });
}

/** A call without an answer. `answer` is set once the server has the call. */
type OpenCall = { readonly abort: AbortController; answer?: (response: Response | Lost) => void };
type Lost = { readonly lost: string };

type Answer = string | Buffer;

/** The tool calls of a client; each passes the moments `call` and `result`. */
export class ProxiedCalls {
  readonly #sides: Sides;
  readonly #options: ProxyOptions;
  readonly #elicitations: Elicitations;
  readonly #turns: Turns;
  readonly #calls = new Map<string, OpenCall>();
  readonly #handled = new Set<Promise<void>>();
  readonly #onTask: (task: string, call: CallInput) => void;
  /** Set when a side has ended: nothing more is sent to the server. */
  #over: string | undefined;

  constructor(
    sides: Sides,
    options: ProxyOptions,
    elicitations: Elicitations,
    onTask: (task: string, call: CallInput) => void,
  ) {
    this.#sides = sides;
    this.#options = options;
    this.#elicitations = elicitations;
    this.#onTask = onTask;
    const { session, now, server } = options;
    this.#turns = new Turns(session, { now, name: server });
  }

  has(id: RpcId): boolean {
    return this.#calls.has(keyOf(id));
  }

  /** `own`: `read_result` is Conduct's, because the server has none. */
  make(id: RpcId, params: JsonObject, raw: Answer, own: boolean): void {
    const call = readCall(params);
    if ("fault" in call) {
      this.#sides.toClient(errorMessage(id, INVALID_PARAMS, call.fault));
      return;
    }
    const open: OpenCall = { abort: new AbortController() };
    this.#calls.set(keyOf(id), open);
    const isOwn = own && call.name === READ_RESULT;
    const { session, waitMs, server, newId } = this.#options;
    const made = isOwn ? mapOwnCall(call, newId()) : mapCall(server, call, newId());
    const { signal } = open.abort;
    const { possible } = this.#elicitations;
    const handled = handleCall<Answer>(session, this.#turns, made, {
      signal,
      waitMs,
      refuse: (text) => resultMessage(id, refusal(text)),
      run: (input) => (isOwn ? this.#runOwn(id, call, input) : this.#forward(made, raw, input, open)),
      ask: possible ? (question) => this.#elicitations.ask(question, made, signal) : undefined,
    })
      .catch((error: Error) => errorMessage(id, CONNECTION_CLOSED, error.message))
      .then((answer) => {
        this.#calls.delete(keyOf(id));
        this.#handled.delete(handled);
        // A cancelled request gets no answer.
        if (!signal.aborted || this.#over !== undefined) this.#sides.toClient(answer);
      });
    this.#handled.add(handled);
  }

  /** The client cancels a call. The server is notified only if it has received the call. */
  cancel(id: RpcId, raw: Answer): void {
    const open = this.#calls.get(keyOf(id));
    open?.abort.abort();
    if (open?.answer === undefined) return;
    this.#sides.toServer(raw);
    open.answer({ lost: "the client cancelled it" });
  }

  answer(id: RpcId, response: Response): void {
    this.#calls.get(keyOf(id))?.answer?.(response);
  }

  /** A side is gone. Resolves when every call is settled. */
  async end(why: string): Promise<void> {
    this.#over = why;
    for (const { abort, answer } of this.#calls.values()) {
      abort.abort();
      answer?.({ lost: why });
    }
    await Promise.all(this.#handled);
  }

  async #runOwn(id: RpcId, { arguments: args }: McpCall, input = args): Promise<Ran<Answer>> {
    const tool = this.#options.session.tools().find(({ name }) => name === READ_RESULT);
    if (tool === undefined) throw new Error(`this agent has no ${READ_RESULT}`);
    const result = await tool.run(input);
    return { result, answer: (delivered, beside) => resultMessage(id, ownResult(delivered.result, beside)) };
  }

  /** The request is serialised again, so that exactly the decided call runs. */
  async #forward(made: CallInput, raw: Answer, input: JsonObject | undefined, open: OpenCall): Promise<Ran<Answer>> {
    if (this.#over !== undefined) throw new Error(this.#over);
    const request = asObject(parseExactly(raw.toString()));
    const params = asObject(request.params);
    const args = asObject(params.arguments);
    const rewritten = input === undefined ? { input: args } : rewriteInput(args, made.args, input, "same");
    if ("cannot" in rewritten) throw new Error(`its arguments cannot be rewritten: ${rewritten.cannot.join(", ")}`);
    const sent = input === undefined ? request : { ...request, params: { ...params, arguments: rewritten.input } };
    const response = await new Promise<Response | Lost>((resolve) => {
      open.answer = resolve;
      this.#sides.toServer(JSON.stringify(sent));
    });
    if ("lost" in response) throw new Error(`the outcome of this call is unknown: ${response.lost}`);
    const task = isObject(params.task) ? taskOf(response.body) : undefined;
    if (task === undefined) return ranOf(response);
    this.#onTask(task, made);
    return { later: response.raw };
  }
}

/** A server's response, which is forwarded byte for byte when nothing has to change. */
function ranOf({ body, raw }: Response): Extract<Ran<Answer>, { result: unknown }> {
  const shape = shapeOf(body);
  return {
    result: shape.result,
    answer: (delivered, beside) => {
      if (!delivered.changed && beside.before.length === 0 && beside.after.length === 0) return raw;
      return JSON.stringify(reshape(asObject(parseExactly(raw.toString())), shape, delivered, beside));
    },
  };
}

type TaskCall = Pick<CallInput, "id" | "tool">;

export type TaskRequest = { readonly kind: "result" | "cancel"; readonly task: string; readonly call: TaskCall };

/** Maximum number of tasks with unread results; the oldest are dropped and prove nothing. */
const MAX_TASKS = 1_000;

/** Calls that the server answers with a task (protocol 2025-11-25): their results come with `tasks/result`. */
export class ProxiedTasks {
  readonly #sides: Sides;
  readonly #options: ProxyOptions;
  readonly #calls = new Map<string, TaskCall>();
  readonly #settling = new Set<Promise<void>>();

  constructor(sides: Sides, options: ProxyOptions) {
    this.#sides = sides;
    this.#options = options;
  }

  keep(task: string, { id, tool }: CallInput): void {
    this.#calls.set(task, { id, tool });
    for (const oldest of this.#calls.keys()) {
      if (this.#calls.size <= MAX_TASKS) break;
      this.#calls.delete(oldest);
    }
  }

  /** The task of a request, if it is one of ours. */
  requestOf(method: string, { taskId }: JsonObject): TaskRequest | undefined {
    const kind = method === "tasks/result" ? "result" : method === "tasks/cancel" ? "cancel" : undefined;
    const call = typeof taskId === "string" ? this.#calls.get(taskId) : undefined;
    return kind === undefined || call === undefined ? undefined : { kind, call, task: String(taskId) };
  }

  answered(request: TaskRequest, response: Response): void {
    const settling = this.#settle(request, response).then((answer) => {
      this.#settling.delete(settling);
      this.#sides.toClient(answer);
    });
    this.#settling.add(settling);
  }

  async end(): Promise<void> {
    await Promise.all(this.#settling);
  }

  async #settle({ kind, task, call }: TaskRequest, response: Response): Promise<string | Buffer> {
    const { session } = this.#options;
    if (kind === "result") {
      const ran = ranOf(response);
      const delivered = await session.onResult(call, ran.result);
      return ran.answer(delivered, { before: [], after: feedbackOf(delivered) });
    }
    if (Object.hasOwn(response.body, "error")) return response.raw;
    this.#calls.delete(task);
    // The task had started, so its outcome is unknown.
    await session.onResult(call, { outcome: "unknown", parts: [] });
    return response.raw;
  }
}

import { asList, asObject, asString, isObject, parseExactly } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Question } from "../../../base/words/decision.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { CONDUCT_TOOLS } from "../../../engine/tools/conduct-tool.ts";
import { Forms } from "../shared/mcp/forms.ts";
import {
  CONNECTION_CLOSED,
  errorMessage,
  INVALID_PARAMS,
  keyOf,
  type Response,
  type RpcId,
  resultMessage,
} from "../shared/mcp/json-rpc.ts";
import { claimOf, completed, formAnswer, formResult, type Pause, Rounds } from "../shared/mcp/stateless.ts";
import {
  canElicit,
  declareTools,
  type McpCall,
  mapOwnCall,
  ownResult,
  readCall,
  refusal,
} from "../shared/own-tools.ts";
import { rewriteInput } from "../shared/tool-args.ts";
import { elicitationOf, readElicitation } from "./elicitations.ts";
import { handleCall, type Ran, Turns } from "./moments.ts";
import type { ProxyOptions, Sides } from "./proxy.ts";
import { reshape, shapeOf, taskOf } from "./result-shape.ts";
import { mapCall } from "./tool-map.ts";

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
  // Other clients of the server do not have this tool.
  const cached = result.cacheScope === undefined ? {} : { cacheScope: "private" };
  return JSON.stringify({ ...exact, result: { ...result, tools, ...cached } });
}

/** A request without an answer. `answer` is set once the server has the request. */
type OpenRequest = {
  readonly id: RpcId;
  readonly raw: Answer;
  readonly params: JsonObject;
  readonly abort: AbortController;
  answer?: (response: Response | Lost) => void;
};
type Lost = { readonly lost: string };

export type Answer = string | Buffer;

/** How long a server's question may wait for the client's answer (protocol 2026-07-28). */
const INPUT_MS = 600_000;

/** The tool calls of a client; each passes the moments `call` and `result`. */
export class ProxiedCalls {
  readonly #sides: Sides;
  readonly #options: ProxyOptions;
  readonly #forms = new Forms();
  readonly #rounds = new Rounds<Answer, OpenRequest>();
  readonly #turns: Turns;
  readonly #calls = new Map<string, OpenRequest>();
  readonly #handled = new Set<Promise<unknown>>();
  readonly #onTask: (task: string, call: CallInput) => void;
  /** Begins the state of Conduct's own questions. */
  readonly #mark: string;
  /** The parameters of the client's `initialize`. */
  #introduced: JsonObject = {};
  /** Set when a side has ended: nothing more is sent to the server. */
  #over: string | undefined;

  constructor(sides: Sides, options: ProxyOptions, onTask: (task: string, call: CallInput) => void) {
    this.#sides = sides;
    this.#options = options;
    this.#onTask = onTask;
    const { session, now, server, newId } = options;
    this.#mark = newId();
    this.#turns = new Turns(session, { now, name: server });
  }

  introduce(params: JsonObject): void {
    this.#introduced = params;
  }

  has(id: RpcId): boolean {
    return this.#calls.has(keyOf(id));
  }

  /** Returns true if the response belongs to a question of Conduct's own. */
  isForm(id: RpcId, body: JsonObject): boolean {
    return this.#forms.answer(id, body);
  }

  /** `own`: `read_result` is Conduct's, because the server has none. */
  make(id: RpcId, params: JsonObject, raw: Answer, own: boolean): void {
    const call = readCall(params);
    if ("fault" in call) {
      this.#sides.toClient(errorMessage(id, INVALID_PARAMS, call.fault));
      return;
    }
    const request: OpenRequest = { id, params, raw, abort: new AbortController() };
    this.#calls.set(keyOf(id), request);
    const answering =
      this.#rounds.repeat(call, request) ?? this.#begin(call, request, own && call.name === READ_RESULT);
    this.#track(
      answering.then((answer) => {
        this.#calls.delete(keyOf(id));
        // A cancelled request gets no answer.
        if (!request.abort.signal.aborted || this.#over !== undefined) this.#sides.toClient(answer);
      }),
    );
  }

  #track<T>(handled: Promise<T>): Promise<T> {
    this.#handled.add(handled);
    void handled.finally(() => this.#handled.delete(handled));
    return handled;
  }

  /** Takes a new call through its moments. It may take several requests of the client. */
  #begin(call: McpCall, first: OpenRequest, isOwn: boolean): Promise<Answer> {
    const { session, waitMs, server, newId, now } = this.#options;
    const made = isOwn ? mapOwnCall(call, newId()) : mapCall(server, call, newId());
    const claim = claimOf(first.params);
    const abort = new AbortController();
    let current = first;
    const join = (request: OpenRequest) => {
      current = request;
      const { signal } = request.abort;
      signal.addEventListener("abort", () => abort.abort(), { once: true });
      if (signal.aborted) abort.abort();
      return request;
    };
    const answer = (result: JsonObject) => resultMessage(current.id, claim === undefined ? result : completed(result));
    return this.#rounds.begin(call, (pause) => {
      const again: Again = async (...asked) => {
        const repeated = await pause(...asked);
        return repeated && join(repeated);
      };
      const ask = async (question: Question) => {
        const form = elicitationOf(question, made, session.id);
        const limitMs = question.expiresAt - now();
        if (claim === undefined) {
          return readElicitation(await this.#forms.ask(form, limitMs, abort.signal, this.#sides.toClient), question);
        }
        const state = `${this.#mark}${newId()}`;
        return readElicitation(formAnswer(await again(answer(formResult(form, state)), state, limitMs)), question);
      };
      const handled = handleCall<Answer>(session, this.#turns, made, {
        signal: abort.signal,
        waitMs,
        refuse: (text) => answer(refusal(text)),
        run: (input) => (isOwn ? this.#runOwn(call, answer, input) : this.#forward(made, input, () => current, again)),
        ask: canElicit(claim ?? this.#introduced) ? ask : undefined,
      });
      join(first);
      return this.#track(handled.catch((error: Error) => errorMessage(current.id, CONNECTION_CLOSED, error.message)));
    });
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
    this.#rounds.end();
    for (const { abort, answer } of this.#calls.values()) {
      abort.abort();
      answer?.({ lost: why });
    }
    await Promise.all(this.#handled);
  }

  async #runOwn(
    { arguments: args }: McpCall,
    answer: (result: JsonObject) => Answer,
    input = args,
  ): Promise<Ran<Answer>> {
    const tool = this.#options.session.tools().find(({ name }) => name === READ_RESULT);
    if (tool === undefined) throw new Error(`this agent has no ${READ_RESULT}`);
    const result = await tool.run(input);
    return { result, answer: (delivered, beside) => answer(ownResult(delivered.result, beside)) };
  }

  /** The request is serialised again, so that exactly the decided call runs. */
  async #forward(
    made: CallInput,
    input: JsonObject | undefined,
    current: () => OpenRequest,
    again: Again,
  ): Promise<Ran<Answer>> {
    if (this.#over !== undefined) throw new Error(this.#over);
    const open = current();
    const request = asObject(parseExactly(open.raw.toString()));
    const params = this.#withoutOwnInput(asObject(request.params));
    const args = asObject(params.arguments);
    const rewritten = input === undefined ? { input: args } : rewriteInput(args, made.args, input, "same");
    if ("cannot" in rewritten) throw new Error(`its arguments cannot be rewritten: ${rewritten.cannot.join(", ")}`);
    const sent = { ...request, params: input === undefined ? params : { ...params, arguments: rewritten.input } };
    const response = await new Promise<Response | Lost>((resolve) => {
      open.answer = resolve;
      this.#sides.toServer(JSON.stringify(sent));
    });
    if ("lost" in response) throw new Error(`the outcome of this call is unknown: ${response.lost}`);
    const claim = claimOf(open.params);
    const { resultType, requestState } = asObject(response.body.result);
    if (claim !== undefined && resultType === "input_required") {
      // The server has not run the call yet. The client's next request continues this call.
      if ((await again(response.raw, requestState, INPUT_MS)) !== undefined) {
        return this.#forward(made, input, current, again);
      }
      throw new Error("the outcome of this call is unknown: the client did not repeat it");
    }
    const task = allowsTask(open.params) ? taskOf(response.body) : undefined;
    if (task === undefined) return ranOf(response);
    this.#onTask(task, made);
    return { later: response.raw };
  }

  /** The answer to a question of Conduct's own is not for the server. */
  #withoutOwnInput(params: JsonObject): JsonObject {
    const { requestState, inputResponses: _responses, ...rest } = params;
    return asString(requestState).startsWith(this.#mark) ? rest : params;
  }
}

type Again = Pause<Answer, OpenRequest>;

/** Whether the client lets the server turn this call into a task. */
function allowsTask(params: JsonObject): boolean {
  const claim = claimOf(params);
  if (claim === undefined) return isObject(params.task);
  return isObject(asObject(claim.capabilities?.extensions)["io.modelcontextprotocol/tasks"]);
}

/** A server's response, which is forwarded byte for byte when nothing has to change. */
export function ranOf({ body, raw }: Response): Extract<Ran<Answer>, { result: unknown }> {
  const shape = shapeOf(body);
  return {
    result: shape.result,
    answer: (delivered, beside) => {
      if (!delivered.changed && beside.before.length === 0 && beside.after.length === 0) return raw;
      return JSON.stringify(reshape(asObject(parseExactly(raw.toString())), shape, delivered, beside));
    },
  };
}

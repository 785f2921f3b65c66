import { asObject, isObject, parseExactly } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { feedbackOf } from "../shared/content.ts";
import type { Response } from "../shared/mcp/json-rpc.ts";
import { type Answer, ranOf } from "./proxied-calls.ts";
import type { ProxyOptions, Sides } from "./proxy.ts";
import { reshape, shapeOf } from "./result-shape.ts";

type TaskCall = Pick<CallInput, "id" | "tool">;

/** Messages with the state of a task; since 2026-07-28 it includes the result. */
const STATES: readonly string[] = ["tasks/get", "tasks/cancel", "notifications/tasks"];

/** A message about a task: its result (2025-11-25) or its state. */
export type TaskMessage = { readonly task: string; readonly has: "result" | "state" };

/** Maximum number of tasks with unread results. The results of the oldest then prove nothing. */
const MAX_TASKS = 1_000;

/** Calls that the server answers with a task. Their results come later, and are shortened then. */
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

  messageOf(method: string, { taskId }: JsonObject): TaskMessage | undefined {
    if (typeof taskId !== "string") return undefined;
    if (method === "tasks/result") return { task: taskId, has: "result" };
    return STATES.includes(method) ? { task: taskId, has: "state" } : undefined;
  }

  received(message: TaskMessage, response: Response): void {
    const settling = this.#settle(message, response).then((answer) => {
      this.#settling.delete(settling);
      this.#sides.toClient(answer);
    });
    this.#settling.add(settling);
  }

  async end(): Promise<void> {
    await Promise.all(this.#settling);
  }

  async #settle({ task, has }: TaskMessage, response: Response): Promise<Answer> {
    const { session, server } = this.#options;
    // The result of a task that was not made here proves nothing.
    const call = this.#calls.get(task) ?? { id: task, tool: `${server}/task` };
    if (has === "result") {
      const ran = ranOf(response);
      const delivered = await session.onResult(call, ran.result);
      return ran.answer(delivered, { before: [], after: feedbackOf(delivered) });
    }
    const { body, raw } = response;
    const place = isObject(body.params) ? "params" : "result";
    const { status, result, error } = asObject(body[place]);
    if (status === "cancelled" && this.#calls.delete(task)) {
      // The task had started, so its outcome is unknown.
      await session.onResult(call, { outcome: "unknown", parts: [] });
    }
    if (result === undefined && error === undefined) return raw;
    const shape = shapeOf(error === undefined ? { result } : { error });
    const delivered = await session.onResult(call, shape.result);
    const exact = asObject(parseExactly(raw.toString()));
    const state = asObject(exact[place]);
    const inner = error === undefined ? { result: state.result } : { error: state.error };
    const changed = reshape(inner, shape, delivered, { before: [], after: feedbackOf(delivered) });
    return changed === undefined ? raw : JSON.stringify({ ...exact, [place]: { ...state, ...changed } });
  }
}

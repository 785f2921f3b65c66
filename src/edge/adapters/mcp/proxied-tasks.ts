import type { CallInput } from "../../../base/words/call.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { feedbackOf } from "./moments.ts";
import { ranOf } from "./proxied-calls.ts";
import type { ProxyOptions, Response, Sides } from "./proxy-options.ts";

type TaskCall = Pick<CallInput, "id" | "tool">;

/** A request about a task that a call was made into. */
export type TaskRequest = { readonly kind: "result" | "cancel"; readonly task: string; readonly call: TaskCall };

/** Tasks whose results nobody has fetched; of more than these the oldest prove nothing. */
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

  /** What a request has to do with a call; `undefined` for every other one. */
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
    // It had begun: what it did before it was cancelled nobody knows.
    await session.onResult(call, { outcome: "unknown", parts: [] });
    return response.raw;
  }
}

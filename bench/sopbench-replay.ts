import type { ToolResult } from "../src/base/words/result.ts";
import { RulesPolicy } from "../src/behavior/policy/rules/rules-policy.ts";
import { openConductFromEnv } from "../src/edge/host/opening/open-conduct.ts";
import { defineAgent } from "../src/engine/agent/define-agent.ts";
import type { Conduct } from "../src/engine/session/conduct.ts";
import type { Domain, Graph, RecordedCall, Run } from "./sopbench-data.ts";
import { type Counts, translate } from "./sopbench-rules.ts";

/** Decision on a recorded call, and the time of `onCall` and `onResult` together. */
export type Verdict = {
  readonly call: RecordedCall;
  readonly denied: string | undefined;
  /** The call ran and succeeded. */
  readonly worked: boolean;
  readonly microseconds: number;
};

export type Replayed = { readonly run: Run; readonly verdicts: readonly Verdict[] };

const NO_GRAPH: Graph = { nodes: [], connections: [] };

/** A domain's procedures as agents of one Conduct. Tasks with the same procedure share one agent, compiled once. */
export class Stage {
  readonly #conduct: Conduct;
  readonly #agentOf: (task: string) => string;

  constructor({ procedures, tasks }: Pick<Domain, "procedures" | "tasks">, counts: Counts) {
    const graphs = new Map<string, Graph>([NO_GRAPH, ...tasks.values()].map((graph) => [JSON.stringify(graph), graph]));
    const names = new Map([...graphs.keys()].map((key, i) => [key, `procedure-${i}`]));
    this.#agentOf = (task) => names.get(JSON.stringify(tasks.get(task) ?? NO_GRAPH)) ?? "";
    this.#conduct = openConductFromEnv({
      journal: false,
      agents: [...graphs].map(([key, graph]) =>
        defineAgent({
          name: names.get(key) ?? "",
          policies: [new RulesPolicy(translate(graph, procedures, counts))],
        }),
      ),
    });
  }

  /** Replays each call in its own step. A denied call does not run, so its result is not reported. */
  async replay(run: Run): Promise<Replayed> {
    const session = this.#conduct.session({ agent: this.#agentOf(run.task_id) });
    const verdicts: Verdict[] = [];
    for (const [i, call] of run.calls.entries()) {
      if (call.status === 2) continue;
      const { tool, args } = call;
      const id = `c${i}`;
      const result = resultOf(call);
      const started = performance.now();
      const decision = await session.onCall({ id, step: `s${i}`, tool, args });
      if (decision.kind === "allow") await session.onResult({ id, tool }, result);
      const microseconds = (performance.now() - started) * 1_000;
      const denied = decision.kind === "allow" ? undefined : decision.rule;
      verdicts.push({ call, denied, worked: denied === undefined && result.outcome === "ok", microseconds });
    }
    session.notice({ kind: "ended" });
    return { run, verdicts };
  }
}

/**
 * Whether the call worked. Failures are recorded as an error text, `false`, or a list that begins with `false`. A
 * successful check with a negative answer (`[true, false]`) is ok.
 */
export function resultOf({ result }: Pick<RecordedCall, "result">): ToolResult {
  const first = Array.isArray(result) ? result[0] : result;
  const failed = first === false || (typeof result === "string" && /^\w*(Error|Exception)\b/.test(result));
  return { outcome: failed ? "failed" : "ok", parts: [{ kind: "json", value: result }] };
}

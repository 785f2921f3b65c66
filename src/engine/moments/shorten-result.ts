import type { Limits } from "../../base/words/agent.ts";
import type { Fault } from "../../base/words/event.ts";
import type { ToolResult, Truncation } from "../../base/words/result.ts";
import type { Slice } from "../../base/words/slice.ts";
import type { SessionPorts } from "./session-ports.ts";

export type TurnResultState = { readonly used: number };
export const resultsSlice: Slice<TurnResultState> = { name: "results", kind: "LOG", initial: { used: 0 } };

export async function shortenResult(
  result: ToolResult,
  _options: {
    readonly tool: string;
    readonly session: string;
    readonly limits: Limits;
    readonly window: number | undefined;
    readonly parallel: number;
    readonly ports: SessionPorts;
    readonly turn: { get(): TurnResultState; set(state: TurnResultState): void };
  },
): Promise<{ result: ToolResult; changed: boolean; truncations: Truncation[]; faults: Fault[] }> {
  return { result, changed: false, truncations: [], faults: [] };
}

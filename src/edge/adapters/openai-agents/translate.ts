import { parseObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { shownText } from "../../../behavior/results/result-text.ts";
import type { ConductTool } from "../../../engine/tools/conduct-tool.ts";
import type { AgentsSdk, AnyTool, Finality, FunctionTool, ToolOutcome, ToolUseBehavior } from "./native.ts";

/** Tools that the SDK runs without a function that could be guarded. */
const UNGUARDED: ReadonlySet<string> = new Set(["computer", "shell", "apply_patch"]);

export function isFunctionTool(tool: AnyTool): tool is FunctionTool {
  return tool.type === "function" && "invoke" in tool;
}

/** Fails closed: such a tool would run without a decision. Tools of the provider run there and are not local. */
export function assertGuardable({ type, name }: AnyTool): void {
  if (!UNGUARDED.has(type)) return;
  throw new Error(
    `Conduct cannot guard the tool '${name}' of type '${type}', which the SDK runs by itself. Declare it with tool({ execute }).`,
  );
}

/** The SDK's own error text, which a tool returns after it threw. */
const FAILED = "An error occurred while running the tool";

export function isErrorText(value: unknown): value is string {
  return typeof value === "string" && value.startsWith(FAILED);
}

/** The arguments as the model wrote them. The text that is no object is refused by the engine. */
export function argumentsOf(input: string): JsonObject | string {
  return input.trim() === "" ? {} : (parseObject(input) ?? input);
}

/** What the agent's own setting says about the results of a response. */
export async function ownFinality(
  behavior: ToolUseBehavior,
  context: unknown,
  results: readonly ToolOutcome[],
): Promise<Finality> {
  if (typeof behavior === "function") return behavior(context, results);
  if (behavior === "run_llm_again") return { isFinalOutput: false };
  const final =
    behavior === "stop_on_first_tool"
      ? results[0]
      : results.find(({ tool }) => behavior.stopAtToolNames.includes(tool.name));
  return final === undefined ? { isFinalOutput: false } : { isFinalOutput: true, finalOutput: String(final.output) };
}

/** Conduct's tool as one of the SDK's. */
export function asAgentsTool({ name, description, inputSchema, run }: ConductTool, sdk: AgentsSdk): FunctionTool {
  return sdk.tool({
    name,
    description,
    parameters: inputSchema,
    strict: false,
    async execute(input: JsonObject) {
      const { outcome, parts } = await run(input);
      return outcome === "ok" ? shownText(parts) : { isError: true, error: shownText(parts) };
    },
  });
}

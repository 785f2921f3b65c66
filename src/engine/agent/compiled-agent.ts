import { NamesMemo } from "../../base/kernel/names-memo.ts";
import type { Agent, AnyPolicy, ToolSpec } from "../../base/words/agent.ts";
import type { ToolCall } from "../../base/words/call.ts";
import { complexCommandPolicy } from "../../behavior/policy/command-limits/complex-command-policy.ts";
import { highRiskPolicy } from "../../behavior/policy/high-risk-policy.ts";
import { loopGuard } from "../../behavior/policy/loop-guard.ts";
import { requirementsPolicy } from "../../behavior/policy/requirements-policy.ts";
import { workspacePolicy } from "../../behavior/policy/workspace-policy.ts";
import { CONDUCT_TOOLS } from "../tools/conduct-tool.ts";
import { AgentPrompts } from "./agent-prompts.ts";

/** An agent made ready for deciding: which policies bind which tool is worked out once. */
export class CompiledAgent {
  readonly agent: Agent;
  /** Every policy that can ever act, once. */
  readonly allPolicies: readonly AnyPolicy[];
  /** What may stand in its prompts. */
  readonly prompts: AgentPrompts;
  readonly #given: readonly AnyPolicy[];
  readonly #builtins: readonly AnyPolicy[];
  readonly #tools: ReadonlyMap<string, ToolSpec>;
  /** Where no section binds its own tools, the same policies bind every call. */
  readonly #everywhere: readonly AnyPolicy[] | undefined;
  readonly #bound = new NamesMemo<readonly AnyPolicy[]>();

  constructor(agent: Agent, builtins: readonly AnyPolicy[], prompts = new AgentPrompts(agent)) {
    this.agent = agent;
    this.prompts = prompts;
    this.#given = builtins;
    this.#builtins = [
      complexCommandPolicy,
      ...builtins,
      workspacePolicy,
      highRiskPolicy(agent.tools),
      requirementsPolicy(CONDUCT_TOOLS.filter(({ access }) => access === "read").map(({ name }) => name)),
      loopGuard(),
    ];
    this.#tools = new Map(agent.tools.map((tool) => [tool.name, tool]));
    this.allPolicies = [
      ...new Set([
        ...this.#builtins,
        ...agent.sections.flatMap((section) => section.policies ?? []),
        ...agent.policies,
      ]),
    ];
    const apart = agent.sections.some((section) => (section.policies ?? []).length > 0);
    this.#everywhere = apart ? undefined : this.allPolicies;
  }

  /** The same agent with other constraints: it is told the same, what plugins have added included. */
  withAgent(agent: Agent): CompiledAgent {
    return new CompiledAgent(agent, this.#given, this.prompts);
  }

  tool(name: string): ToolSpec | undefined {
    return this.#tools.get(name);
  }

  /**
   * Conduct's own first; then those of each section that declares the tool or one of the call's actions, in section
   * order; then the agent's, which bind every tool, unknown ones included.
   */
  policiesFor(call: Pick<ToolCall, "tool" | "actions">): readonly AnyPolicy[] {
    if (this.#everywhere !== undefined) return this.#everywhere;
    return this.#bound.get(call.tool, call.actions, () => {
      const names = [call.tool, ...call.actions];
      const ofSections = this.agent.sections
        .filter((section) => section.tools?.some((tool) => names.includes(tool)))
        .flatMap((section) => section.policies ?? []);
      return [...new Set([...this.#builtins, ...ofSections, ...this.agent.policies])];
    });
  }
}

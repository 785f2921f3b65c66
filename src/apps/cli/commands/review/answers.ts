import type { AgentAround } from "../../../../edge/host/trust/inside-agent.ts";
import type { NextAction, Outcome } from "../../line/outcome.ts";

export const LIST_CANDIDATES: NextAction = {
  command: "conduct review list",
  description: "What waits for a decision",
};

export function insideReview({ agent, sign }: AgentAround, name: string): Outcome {
  return {
    ok: false,
    code: "INSIDE_AGENT",
    message: `this is run by ${agent} (${sign}), and what is learned is a person's to decide`,
    fix: `run it yourself, in a terminal of your own: conduct review ${name}`,
    next: [],
  };
}

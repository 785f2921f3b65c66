import type { ToolCall } from "../../../base/words/call.ts";
import type { ContractScope } from "../../../base/words/contract.ts";

const PROGRAM = /^\s*([\w./-]{1,40})(?:\s|$)/;
const NAME = /^[\w./:-]{1,60}$/;

/**
 * The call's name in a proposal: its action, else its tool with the command's program. No other model text gets into a
 * proposal.
 */
export function nameOfCall({ tool, actions, args }: ToolCall): string {
  const [action] = actions;
  if (action !== undefined) return shortName(action);
  const { command } = args;
  const program = typeof command === "string" ? PROGRAM.exec(command)?.[1] : undefined;
  return program === undefined ? shortName(tool) : `${shortName(tool)} ${program}`;
}

/** The most telling text of a call: its first text argument, verbatim from the journal, else the tool. */
export function wordsOfCall({ tool, args }: ToolCall): string {
  const text = Object.values(args).find((value) => typeof value === "string" && value.trim() !== "");
  return typeof text === "string" ? (text.trim().split("\n")[0] ?? tool) : tool;
}

export function agentScope(agent: string): ContractScope {
  return `agent:${agent}`;
}

function shortName(name: string): string {
  return NAME.test(name) ? name : name.replace(/[^\w./:-]+/g, "_").slice(0, 60);
}

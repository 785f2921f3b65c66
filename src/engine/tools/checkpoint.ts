import type { Agent, CheckpointTexts } from "../../base/words/hosting/agent.ts";
import type { ToolResult } from "../../base/words/result.ts";
import { renderPrerequisites } from "../../behavior/policy/render-prerequisites.ts";

type Checkpoint = {
  readonly name: keyof CheckpointTexts;
  /** For a list of checkpoints. */
  readonly about: string;
  readonly description: string;
  readonly text: string;
};

const VERIFY_CONTEXT = `Before you continue, check your assumptions. Answer each question for yourself, briefly:
1. What exactly was asked, and what would count as done?
2. What have you seen with your own tools, and what do you only assume? Look up what the next step depends on.
3. Has anything changed since you looked: a file you wrote, a message, a failed call?
4. What must you not do here?
If an answer is missing, get it first. Then take the next step.`;

const REVIEW_PLAN = `Before you act on your plan, go through it step by step:
1. Does each step serve what was asked, and does the last one prove that it is done?
2. Is the order right? These prerequisites apply:
{{prerequisites}}
3. Which steps cannot be undone, and has a person agreed to them?
4. What is the cheapest check after each step that would show that it went wrong?
Drop or change the steps that fail this. Then begin with the first.`;

/** Tools that do nothing but make the agent stop and think; a call of one counts as evidence like any other. */
export const CHECKPOINTS: readonly Checkpoint[] = [
  {
    name: "verify_context",
    about: "what to check about your understanding before you go on",
    description: "A checkpoint: returns what to check about your understanding before you go on.",
    text: VERIFY_CONTEXT,
  },
  {
    name: "review_plan",
    about: "how to review your plan before you act on it",
    description: "A checkpoint: returns how to review your plan before you act on it.",
    text: REVIEW_PLAN,
  },
];

export const CHECKPOINT_INPUT = { type: "object", properties: {}, additionalProperties: false } as const;

/** The agent's own text for the checkpoint, else ours; `{{prerequisites}}` and `{{agent}}` are filled in. */
export function checkpointResult({ name, text }: Checkpoint, agent: Agent): ToolResult {
  const lines = renderPrerequisites(agent);
  const filled: Readonly<Record<string, string>> = {
    agent: agent.name,
    prerequisites:
      lines.length === 0 ? "- none besides your instructions" : lines.map((line) => `- ${line}`).join("\n"),
  };
  const template = agent.checkpoints?.[name] ?? text;
  const filledIn = template.replace(/\{\{(\w+)\}\}/g, (whole, key: string) =>
    Object.hasOwn(filled, key) ? (filled[key] ?? "") : whole,
  );
  return { outcome: "ok", parts: [{ kind: "text", text: filledIn }] };
}

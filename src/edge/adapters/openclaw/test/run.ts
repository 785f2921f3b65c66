import type { AgentContext } from "../native.ts";
import type { TestGateway } from "./gateway.ts";

export const KEY = "agent:main:main";
export const context: AgentContext = {
  sessionKey: KEY,
  sessionId: "s1",
  runId: "r1",
  channel: "webchat",
  trigger: "user",
};
export const shell = (command: string, toolCallId = "c1") => ({ toolName: "exec", params: { command }, toolCallId });
export const exec = (toolCallId: string, exitCode: number) => ({
  toolName: "exec",
  toolCallId,
  args: {},
  isError: false,
  result: { content: [{ type: "text" as const, text: "out" }], details: { status: "completed", exitCode } },
});
export const response = (...ids: readonly string[]) => ({
  message: { role: "assistant", content: ids.map((id) => ({ type: "toolCall", id })) },
});

/** A message and its run up to the model. */
export async function begin(gateway: TestGateway, text = "go", told: AgentContext = context): Promise<unknown> {
  const answer = await gateway.call("before_agent_reply", { cleanedBody: text }, told);
  if (answer !== undefined) return answer;
  const prompt = await gateway.call("before_prompt_build", {}, told);
  const systemPrompt = `OpenClaw's own\n\n${prompt?.appendSystemContext ?? ""}\n\n---`;
  return gateway.call("before_agent_run", { systemPrompt }, told);
}

/** Talks to the agent as an editor does, through Conduct: the editor starts `conduct acp` in place of the agent. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const command = ["acp", "--", process.execPath, "agent.mjs"];
const agent = spawn("conduct", command, { stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map();
const titles = new Map();
createInterface({ input: agent.stdout }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) waiting.get(id)?.(result);
  // The person says yes to everything. Conduct does not ask about a call that it denies.
  if (method === "session/request_permission") {
    titles.set(params.toolCall.toolCallId, params.toolCall.title);
    console.log(`asked:  ${params.toolCall.title}`);
    send({ id, result: { outcome: { outcome: "selected", optionId: "yes" } } });
  }
  const { update } = params ?? {};
  if (update?.sessionUpdate === "tool_call_update" && titles.has(update.toolCallId))
    console.log(`ran:    ${titles.get(update.toolCallId)}`);
  if (update?.sessionUpdate === "agent_message_chunk") console.log(update.content.text.trim());
});

await request("initialize", { protocolVersion: 1, clientCapabilities: {} });
const { sessionId } = await request("session/new", { cwd: process.cwd(), mcpServers: [] });
const { stopReason } = await request("session/prompt", { sessionId, prompt: [{ type: "text", text: "Deploy it." }] });
console.log(`ended:  ${stopReason}`);
agent.stdin.end();

function request(method, params) {
  const id = waiting.size + 1;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

function send(message) {
  agent.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

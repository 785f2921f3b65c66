/** A small ACP agent. It asks the editor before each command, and runs it after a yes. Replace it with yours. */
import { execSync } from "node:child_process";
import { createInterface } from "node:readline";

/** In place of a model: the commands for each prompt. Conduct's reason for a denial arrives as the second prompt. */
const plans = [["npm run deploy"], ["npm test", "npm run deploy"]];
const waiting = new Map();
const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {} }),
  "session/new": () => ({ sessionId: "one" }),
  "session/prompt": async ({ sessionId }) => {
    for (const command of plans.shift() ?? []) await runCommand(sessionId, `call-${waiting.size}`, command);
    return { stopReason: "end_turn" };
  },
};
createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result);
  if (id !== undefined) send({ id, result: await answers[method]?.(params) });
});

async function runCommand(sessionId, toolCallId, command) {
  const toolCall = { toolCallId, title: command, kind: "execute", rawInput: { command } };
  const options = [
    { optionId: "yes", name: "Run it", kind: "allow_once" },
    { optionId: "no", name: "Do not", kind: "reject_once" },
  ];
  const { outcome } = await request("session/request_permission", { sessionId, toolCall, options });
  const text = outcome.optionId === "yes" ? execSync(command, { encoding: "utf8" }) : "refused";
  const status = outcome.optionId === "yes" ? "completed" : "failed";
  const content = [{ type: "content", content: { type: "text", text } }];
  const update = { sessionUpdate: "tool_call_update", toolCallId, status, content, rawOutput: { exitCode: 0 } };
  send({ method: "session/update", params: { sessionId, update } });
}

function request(method, params) {
  const id = `agent-${waiting.size}`;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

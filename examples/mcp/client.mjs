/** Calls the tools as an MCP client does, through Conduct: the client starts `conduct mcp proxy` in place of the server. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const command = ["mcp", "proxy", "--name", "shop", "--", process.execPath, "server.mjs"];
const proxy = spawn("conduct", command, { stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map();
createInterface({ input: proxy.stdout }).on("line", (line) => {
  const { id, result, error } = JSON.parse(line);
  waiting.get(id)?.(result ?? error);
});

await request("initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "client", version: "1.0.0" },
});
send({ method: "notifications/initialized" });
for (const name of ["deploy", "test", "deploy"]) {
  const { content = [], message } = await request("tools/call", { name, arguments: {} });
  console.log(`${name}: ${message ?? content.map(({ text }) => text).join("\n")}`);
}
proxy.stdin.end();

function request(method, params) {
  const id = waiting.size + 1;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

function send(message) {
  proxy.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/** An agent on Mastra, held to conduct.yaml. Run: OPENAI_API_KEY=… npm start */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { loadConfigFile, openConduct } from "agent-conduct";
import { conductMastra } from "agent-conduct/mastra";
import { z } from "zod";

const loaded = await loadConfigFile("conduct.yaml");
if ("error" in loaded) throw new Error(loaded.error.message);
if ("faults" in loaded.parsed) throw new Error(loaded.parsed.faults.map(({ message }) => message).join("\n"));

const conduct = openConduct({ agents: loaded.parsed.agents, workspace: process.cwd() });
conduct.subscribe((event) => {
  if (event.type !== "call") return;
  const { decision, call } = event;
  const why = decision.kind === "deny" ? ` by ${decision.rule}: ${decision.reason}` : "";
  console.log(`${call.args.command ?? call.tool} -> ${decision.kind}${why}`);
});

// Your model and tools, as you would write them without Conduct.
const run = promisify(execFile);
const bash = createTool({
  id: "bash",
  description: "Runs a command.",
  inputSchema: z.object({ command: z.string() }),
  execute: async ({ command }) => (await run("sh", ["-c", command])).stdout,
});
const model = "openai/gpt-5.5";

// Conduct, in four lines.
const guard = await conductMastra(conduct.session({ agent: "coding" }));
const agent = new Agent(guard.agent({ id: "coder", name: "coder", instructions: "Help.", model, tools: { bash } }));
const { text, reply } = await guard.message("Deploy it.");
console.log(reply ?? (await agent.generate(text)).text);
await conduct.close();

/** An agent on LangChain, held to conduct.yaml. Run: OPENAI_API_KEY=… npm start */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ChatOpenAI } from "@langchain/openai";
import { loadConfigFile, openConduct } from "agent-conduct";
import { conductLangChain } from "agent-conduct/langchain";
import { createAgent, HumanMessage, tool } from "langchain";

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
const bash = tool(async ({ command }: { command: string }) => (await run("sh", ["-c", command])).stdout, {
  name: "bash",
  description: "Runs a command.",
  schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
});
const model = new ChatOpenAI({ model: "gpt-5.5", useResponsesApi: true });

// Conduct, in four lines.
const guard = await conductLangChain(conduct.session({ agent: "coding" }));
const agent = createAgent({ model, tools: [bash], middleware: [guard.middleware] });
const { text, reply } = await guard.message("Deploy it.");
console.log(reply ?? (await agent.invoke({ messages: [new HumanMessage(text)] })).messages.at(-1)?.text);
await conduct.close();

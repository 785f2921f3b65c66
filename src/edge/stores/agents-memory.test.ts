import { memoryAgents } from "./agents-memory.ts";
import { agentsSuite } from "./agents-suite.ts";

agentsSuite("memory", async () => memoryAgents());

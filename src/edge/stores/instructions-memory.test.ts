import { memoryInstructions } from "./instructions-memory.ts";
import { instructionsSuite } from "./instructions-suite.ts";

instructionsSuite("memory", async () => memoryInstructions());

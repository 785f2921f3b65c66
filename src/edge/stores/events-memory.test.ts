import { memoryEvents } from "./events-memory.ts";
import { eventsSuite } from "./events-suite.ts";

eventsSuite("memory", async () => memoryEvents());

import { memoryResults } from "./results-memory.ts";
import { resultsSuite } from "./results-suite.ts";

resultsSuite("memory", async (maxBytes) => memoryResults({ maxBytes }));
resultsSuite("memory, as it comes", async (maxBytes) =>
  maxBytes < 10_000 ? memoryResults({ maxBytes }) : memoryResults(),
);

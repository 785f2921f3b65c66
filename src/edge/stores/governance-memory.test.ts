import { memoryGovernance } from "./governance-memory.ts";
import { governanceSuite } from "./governance-suite.ts";

governanceSuite("memory", async () => memoryGovernance());

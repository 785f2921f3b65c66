import { memorySessions } from "./sessions-memory.ts";
import { sessionsSuite } from "./sessions-suite.ts";

sessionsSuite("memory", async () => memorySessions());

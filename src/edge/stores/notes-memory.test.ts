import { memoryNotes } from "./notes-memory.ts";
import { notesSuite } from "./notes-suite.ts";

notesSuite("memory", async () => memoryNotes());

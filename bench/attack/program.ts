import { fileURLToPath } from "node:url";

/** The program, from its sources. */
export const PROGRAM = fileURLToPath(new URL("../../src/apps/cli/conduct.mjs", import.meta.url));

import { fileURLToPath } from "node:url";

/** The built program, as `npm run build` makes it for the package. */
export const PROGRAM = fileURLToPath(new URL("../../dist/conduct.mjs", import.meta.url));

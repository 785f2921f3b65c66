/**
 * Conduct as a plugin of OpenCode. `conduct init opencode` sets it up.
 * @module opencode
 */

export { opencodeCapabilities, opencodeRunCapabilities } from "../capabilities.ts";
export { type OpencodeOptions, opencodeHooks } from "./adapter.ts";
export type { OpencodeHooks, OpencodeInput, OpencodePlugin } from "./native.ts";
export { conductPlugin } from "./plugin.ts";

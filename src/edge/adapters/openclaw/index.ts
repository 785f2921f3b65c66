/**
 * Conduct as a plugin of OpenClaw. `conduct init openclaw` sets it up.
 * @module openclaw
 */

export { openclawCapabilities } from "../capabilities.ts";
export { OpenClawAdapter, type OpenClawOptions } from "./adapter.ts";
export { default } from "./plugin/index.ts";

/**
 * Conduct as an extension of pi-coding-agent.
 * @module pi-extension
 */

export { piExtensionCapabilities } from "../capabilities.ts";
export { conductExtension, type PiExtensionOptions } from "./adapter.ts";
export { default, extensionAt } from "./extension.ts";

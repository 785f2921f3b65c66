export { conductExtension, type PiExtensionOptions } from "./adapter.ts";
export { piExtensionCapabilities } from "./capabilities.ts";
export { default, extensionAt } from "./extension.ts";

export { conductExtension, type PiExtensionOptions } from "./adapter.ts";
export { piExtensionCapabilities } from "./capabilities.ts";
export { default } from "./extension.ts";

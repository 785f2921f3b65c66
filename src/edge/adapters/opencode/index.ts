export { type OpencodeOptions, opencodeHooks } from "./adapter.ts";
export { opencodeCapabilities, opencodeRunCapabilities } from "./capabilities.ts";
export type { OpencodeHooks, OpencodeInput, OpencodePlugin } from "./native.ts";
export { conductPlugin } from "./plugin.ts";
export {
  isOpencodePluginFile,
  OPENCODE_PLUGIN_FILE,
  opencodeConfigFolder,
  opencodePluginFile,
} from "./plugin-file.ts";

export { opencodeCapabilities, opencodeRunCapabilities } from "../capabilities.ts";
export { type OpencodeOptions, opencodeHooks } from "./adapter.ts";
export {
  addOpencodePlugin,
  type OpencodePluginSettings,
  opencodePluginFile,
  removeOpencodePlugin,
} from "./install.ts";
export type { OpencodeHooks, OpencodeInput, OpencodePlugin } from "./native.ts";
export { conductPlugin } from "./plugin.ts";

export { openclawCapabilities } from "../capabilities.ts";
export { OpenClawAdapter, type OpenClawOptions } from "./adapter.ts";
export {
  type Added,
  type AddedConduct,
  addConduct,
  type ConductEntry,
  OPENCLAW_PLUGIN,
  openclawConfigFile,
  removeConduct,
} from "./install.ts";
export { default } from "./plugin/index.ts";

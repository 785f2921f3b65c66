/**
 * Conduct in the Claude Agent SDK: guard a `query`.
 * @module claude
 */

export { claudeCapabilities } from "../capabilities.ts";
export {
  type ConductQuerySettings,
  type ConductSettings,
  conductQuery,
  type QueryParams,
  withConduct,
} from "./adapter.ts";
export { type ObserverOptions, observer, type StreamMessage } from "./observe.ts";

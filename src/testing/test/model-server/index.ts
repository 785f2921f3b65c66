export type { ModelRequest, WireName } from "./model-request.ts";
export { answerSideRequest, isSideRequest } from "./request-kind.ts";
export {
  MARKER,
  type ReplyTo,
  type Script,
  type ScriptedCall,
  type ScriptedMessage,
  type ScriptedReply,
} from "./script.ts";
export { type ModelServer, type ModelServerOptions, startModelServer } from "./server.ts";

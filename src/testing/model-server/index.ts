export type { DeclaredTool, HistoryItem, ModelRequest, RequestKind, SentResult, WireName } from "./model-request.ts";
export { answerSideRequest, isSideRequest, requestKind } from "./request-kind.ts";
export {
  MARKER,
  type ReplyTo,
  type Script,
  type ScriptedBreak,
  type ScriptedCall,
  type ScriptedError,
  type ScriptedMessage,
  type ScriptedReply,
  type ScriptFault,
} from "./script.ts";
export type { Probe } from "./server.ts";
export { type ModelServer, type ModelServerOptions, startModelServer } from "./server.ts";
export type { Usage } from "./wire-format.ts";

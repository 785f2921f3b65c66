/** For authors of adapters: the conformance kit, the scripted agent loop and the scripted model server. */

export type { Can, Capabilities, Capability, FurtherCapability } from "../base/words/hosting/capability.ts";
export { capabilityOf, conformanceSuite, scenarios, skipReason, type TestRunner } from "./kit/conformance.ts";
export type {
  KitCall,
  KitFailing,
  KitMcpCall,
  KitMcpServer,
  KitOutcome,
  KitPlace,
  KitReply,
  KitRequest,
  KitRun,
  KitStep,
  KitTask,
  OwnTool,
  RuntimeDriver,
} from "./kit/driver.ts";
export { answerOrFail, type KitPlayer, playKitScript } from "./kit/driver.ts";
export { KitFailure } from "./kit/expect.ts";
export type { Scenario } from "./kit/scenarios/scenario.ts";
export {
  type LoopCall,
  type LoopEnd,
  type LoopMessage,
  type LoopModel,
  type LoopReply,
  type LoopRequest,
  type LoopTool,
  runScriptedLoop,
} from "./loop/scripted-loop.ts";
export {
  answerSideRequest,
  type DeclaredTool,
  type HistoryItem,
  type ModelRequest,
  type ModelServer,
  type Probe,
  type ReplyTo,
  type RequestKind,
  requestKind,
  type Script,
  type ScriptedBreak,
  type ScriptedCall,
  type ScriptedError,
  type ScriptedMessage,
  type ScriptedReply,
  type ScriptFault,
  type SentResult,
  startModelServer,
  type Usage,
} from "./model-server/index.ts";

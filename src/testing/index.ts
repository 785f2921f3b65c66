/**
 * For authors of adapters: the conformance kit and the scripted agent loop.
 * @module testing
 */

export type { Can, Capabilities, Capability, FurtherCapability } from "../base/words/hosting/capability.ts";
export { capabilityOf, conformanceSuite, scenarios, skipReason, type TestRunner } from "./kit/conformance.ts";
export type {
  KitAnswer,
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
export {
  addDirectives,
  isOperators,
  kitAgent,
  type LocalDriver,
  type LocalRun,
  localRun,
} from "./kit/local-run.ts";
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

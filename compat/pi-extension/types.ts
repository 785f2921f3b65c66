import type * as pi from "@earendil-works/pi-coding-agent";
import type { conductExtension } from "../../src/edge/adapters/pi-extension/adapter.ts";
import type * as ours from "../../src/edge/adapters/pi-extension/native.ts";

type Fits<Given extends Wanted, Wanted> = Given;

/** The adapter's own types against Pi's real ones: this file compiles, or the adapter no longer fits. */
export type PiTypesFit = [
  Fits<pi.ExtensionContext, ours.PiContext>,
  Fits<pi.InputEvent, ours.PiInput>,
  Fits<pi.ToolCallEvent, ours.PiToolCall>,
  Fits<pi.ToolResultEvent, ours.PiToolResult>,
  Fits<pi.AgentBeforeSettleEvent, ours.PiBeforeSettle>,
  Fits<ours.PiInputAnswer, pi.InputEventResult>,
  Fits<ours.PiToolCallAnswer, pi.ToolCallEventResult>,
  Fits<ours.PiToolResultAnswer, pi.ToolResultEventResult>,
  Fits<pi.ExtensionAPI, ours.PiApi>,
  Fits<ReturnType<typeof conductExtension>, pi.ExtensionFactory>,
];

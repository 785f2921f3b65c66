import type { OpenClawPluginApi, OpenClawPluginDefinition } from "openclaw/plugin-sdk/plugin-entry";
import type { Hooks, OpenClawApi } from "../../src/edge/adapters/openclaw/native.ts";

/** The adapter's own types against OpenClaw's real ones: this file compiles, or the adapter no longer fits. */
export function registerAll(api: OpenClawPluginApi, hooks: Hooks, ours: OpenClawApi): void {
  api.on("before_dispatch", hooks.before_dispatch);
  api.on("before_agent_reply", hooks.before_agent_reply);
  api.on("before_prompt_build", hooks.before_prompt_build);
  api.on("before_agent_run", hooks.before_agent_run);
  api.on("before_tool_call", hooks.before_tool_call);
  api.on("after_tool_call", hooks.after_tool_call);
  api.on("before_message_write", hooks.before_message_write);
  api.on("model_call_started", hooks.model_call_started);
  api.on("before_agent_finalize", hooks.before_agent_finalize);
  api.on("agent_end", hooks.agent_end);
  api.on("reply_payload_sending", hooks.reply_payload_sending);
  api.on("after_compaction", hooks.after_compaction);
  api.on("session_end", hooks.session_end);
  api.on("subagent_spawned", hooks.subagent_spawned);
  const fits: Pick<OpenClawApi, "source" | "runtime" | "pluginConfig"> = api;
  ours.registerTextTransforms = api.registerTextTransforms;
  ours.registerAgentToolResultMiddleware = api.registerAgentToolResultMiddleware;
  ours.registerTool = api.registerTool;
  Object.assign(ours, fits);
}

/** What the plugin gives is what OpenClaw loads. */
export type Definition = Pick<OpenClawPluginDefinition, "id" | "name" | "description">;

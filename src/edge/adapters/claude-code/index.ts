export { claudeCodeCapabilities } from "../capabilities.ts";
export { type ClaudeCodeHooks, type ClaudeCodeOptions, claudeCodeHooks } from "./adapter.ts";
export { claudeCodeRoutes } from "./http-routes.ts";
export {
  claudeCodeMcpArguments,
  claudeCodeSettings,
  claudeCodeSettingsFaults,
  mergeClaudeCodeSettings,
  removeFromClaudeCodeSettings,
} from "./settings.ts";
export { type StartEnd, type StartWorld, startClaudeCode } from "./start-command.ts";

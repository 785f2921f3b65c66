/**
 * Conduct behind the hooks of Claude Code. `conduct init claude-code` sets it up.
 * @module claude-code
 */

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

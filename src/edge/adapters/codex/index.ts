/**
 * Conduct behind the hooks of Codex, for its CLI and SDK.
 * @module codex
 */

export { listenForHooks } from "../../host/daemon/hook-socket.ts";
export { codexCapabilities, codexCodeModeCapabilities } from "../capabilities.ts";
export { type CodexHooks, codexHooks } from "./adapter.ts";
export { serveConductTools } from "./conduct-mcp.ts";
export { codexHooksJson } from "./hooks-json.ts";
export {
  type CodexGuard,
  type CodexSdkOptions,
  CodexUnguardedError,
  conductCodexOptions,
  type GuardedCodexOptions,
} from "./sdk-options.ts";
export { type CodexTrust, codexTrustStatus, trustCodexHooks } from "./trust.ts";

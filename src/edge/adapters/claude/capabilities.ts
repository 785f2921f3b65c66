import { allExcept } from "../shared/capability-rows.ts";

/** Enforced in the Claude Agent SDK 0.3.325; README.md lists the limits. */
export const claudeCapabilities = allExcept({ "no-daemon": "Conduct is in the same process" });

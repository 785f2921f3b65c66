import { allExcept } from "../shared/capability-rows.ts";

/** What Conduct enforces in the Claude Agent SDK 0.3.325; README.md names the limits. */
export const claudeCapabilities = allExcept({ "no-daemon": "Conduct is in the same process" });

import { demoteHeadings } from "../../../base/kernel/foreign-text.ts";
import type { PromptContributor } from "../../../base/words/prompt.ts";
import { inline } from "./inline.ts";

/** Where the answer goes, and what that asks of it. */
export const channelSection: PromptContributor = {
  id: "builtin:channel",
  priority: 30,
  zone: "session",
  contribute: ({ channelProfile: { name, guidance } }) => ({
    heading: "Channel",
    content: `You are responding via ${inline(name)}.\n${demoteHeadings(guidance)}`.trim(),
  }),
};

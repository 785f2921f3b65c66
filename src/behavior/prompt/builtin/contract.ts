import type { PromptContributor } from "../../../base/words/prompt.ts";

/** The operator's directives in force, between Identity and Soul, in a block of their own. */
export const contractSection: PromptContributor = {
  id: "builtin:contract",
  priority: 15,
  zone: "static",
  contribute: ({ contract }) => (contract === undefined ? undefined : { content: contract }),
};

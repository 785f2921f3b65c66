/**
 * Building blocks of the prompt, token counts and truncation, for hosts that call them directly.
 * @module prompt
 */

export { classifyLocally } from "./behavior/classification/classify-locally.ts";
export { type BuildOptions, buildAgentPrompt } from "./behavior/prompt/build-agent-prompt.ts";
export {
  type ContributorClash,
  ContributorError,
  PromptContributorRegistry,
} from "./behavior/prompt/contributor-registry.ts";
export { loadTokenizer } from "./behavior/results/token-counter.ts";
export { ToolResultTruncator } from "./behavior/results/truncator.ts";

import type { PromptContributor } from "../../../base/words/prompt.ts";
import { timeText } from "../time-text.ts";

const REASONING = `Think step-by-step and show your reasoning before you act.
Consider edge cases, alternatives and what could go wrong. Read the related files before you rely on how something works.`;

/** With /think only. It comes and goes from turn to turn, so that it stands behind what the provider caches. */
export const reasoningSection: PromptContributor = {
  id: "builtin:reasoning",
  priority: 80,
  zone: "turn",
  contribute: ({ modes }) => (modes.think ? { heading: "Reasoning", content: REASONING } : undefined),
};

/** The time in the user's zone, last of all: it changes most often. */
export const timeSection: PromptContributor = {
  id: "builtin:time",
  priority: 90,
  zone: "turn",
  contribute: ({ time }) => ({ heading: "Current Time", content: timeText(time.at, time.zone) }),
};

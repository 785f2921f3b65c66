import type { PastPrompt, PastSection } from "../../../../src/apps/shared/past-prompt.ts";
import type { Answer } from "../../data/client.ts";

export type ShownSection = PastSection;

/** A prompt of a past turn, or a preview. */
export type ShownPrompt = Omit<PastPrompt, "event" | "session" | "agent" | "turn" | "at" | "exact" | "contract"> & {
  readonly faults: Answer<"POST /api/prompt/preview">["faults"];
  /** Undefined for a preview. */
  readonly past: PastPrompt | undefined;
};

export function pastPrompt(prompt: PastPrompt): ShownPrompt {
  return { ...prompt, faults: [], past: prompt };
}

export function previewedPrompt(preview: Answer<"POST /api/prompt/preview">): ShownPrompt {
  let sum = 0;
  const sections = preview.sections.map((section) => {
    sum += section.tokens;
    return { ...section, cached: sum <= preview.prefixTokens };
  });
  const left = preview.trace.filter(({ reason }) => reason !== "included");
  return { ...preview, sections, left, past: undefined };
}

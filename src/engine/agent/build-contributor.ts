import type { PromptContributor, PromptSection } from "../../base/words/prompt.ts";
import type { ContributorConfig } from "./config/told-schema.ts";

/** A contributor as a file describes it; what it gives is the same for every session. */
export function buildContributor(config: ContributorConfig): PromptContributor {
  const { id, tags, priority, zone, ...given } = config;
  const section: PromptSection = Object.freeze(given);
  return Object.freeze({
    id,
    tags: tags === undefined ? undefined : Object.freeze(tags.map((tag) => Object.freeze({ ...tag }))),
    priority,
    zone,
    contribute: () => section,
  });
}

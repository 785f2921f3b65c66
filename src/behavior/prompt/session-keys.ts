import type { ContributorContext, TagDimension } from "../../base/words/prompt.ts";

/** What selects a contributor without tags. No tag reads like it. */
export const UNIVERSAL = "universal";

/** A tag as it is compared and shown, such as `domain:security`: without case, in no language's way, and trimmed. */
export function tagKey(dimension: TagDimension, value: string): string {
  return `${dimension}:${value.trim().toLowerCase()}`;
}

/** True for tags that only a classified session can match. */
export function needsClassification(key: string): boolean {
  return /^(?:topic|complexity|domain|flag):/.test(key);
}

/** All that selects for this session. Of several that select one contributor the first is its reason. */
export function sessionKeys({ classification, channel, custom }: ContributorContext): readonly string[] {
  const { topic, complexity, domain = [], flags = [] } = classification ?? {};
  return [
    UNIVERSAL,
    ...keysOf("topic", topic === undefined ? [] : [topic]),
    ...keysOf("complexity", complexity === undefined ? [] : [complexity]),
    ...keysOf("domain", domain),
    ...keysOf("flag", flags),
    ...keysOf("channel", [channel]),
    ...keysOf("custom", custom),
  ];
}

function keysOf(dimension: TagDimension, values: readonly string[]): readonly string[] {
  const given = values.filter((value) => value.trim() !== "");
  // Every session has a channel, whatever it is called.
  if (given.length === 0 && dimension !== "channel") return [];
  return [...given.map((value) => tagKey(dimension, value)), tagKey(dimension, "*")];
}

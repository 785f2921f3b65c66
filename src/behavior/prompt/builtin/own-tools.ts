import type { ContributorContext } from "../../../base/words/prompt.ts";

const NAMES = ["read_memory", "save_memory", "update_instructions"] as const;

/** Conduct's tools for a user's memory and instructions as the model sees them; only those it has. */
export type OwnTools = { readonly [name in (typeof NAMES)[number]]?: string };

export function ownTools(context: ContributorContext): OwnTools {
  const seen = NAMES.map((name) => [name, context.toolName(name)] as const);
  return Object.fromEntries(seen.filter(([, shown]) => context.availableTools.includes(shown)));
}

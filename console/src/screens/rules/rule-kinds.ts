import type { Answer } from "../../data/client.ts";

export type RuleShown = Answer<"GET /api/rules/all">["rules"][number];
export type RuleKind = RuleShown["kind"];

/** Where a rule can come from, in the order of the choice. */
export const KINDS: readonly { readonly name: RuleKind; readonly label: string }[] = [
  { name: "shared", label: "Shared rules" },
  { name: "agent", label: "Agents’ own rules" },
  { name: "file", label: "Rule files and packs" },
  { name: "policy", label: "Agents’ policies" },
  { name: "built-in", label: "Built-in policies" },
  { name: "elsewhere", label: "Other runtimes" },
];

/** The source in one line: a file with its line, or who defines the rule. */
export function sourceOf({ kind, place, agents = [] }: RuleShown): string {
  if (kind === "file" && place !== undefined) return `${place.file}:${place.line}`;
  switch (kind) {
    case "shared":
      return "shared rule";
    case "agent":
    case "file":
      return `definition of ${agents.join(", ")}`;
    case "policy":
      return `policy of ${agents.join(", ")}`;
    case "built-in":
      return "built-in";
    case "elsewhere":
      return place === undefined ? "seen in the journal" : `${place.file}:${place.line}`;
  }
}

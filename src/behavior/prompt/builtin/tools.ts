import type { PromptContributor } from "../../../base/words/prompt.ts";
import { listed } from "./fixed-section.ts";
import type { GivenToBuiltins } from "./given.ts";
import { inline } from "./inline.ts";

/** What the agent can call, and what has to come before what. Nothing without a tool. */
export function toolsSection(prerequisites: GivenToBuiltins["prerequisites"]): PromptContributor {
  return {
    id: "builtin:tools",
    priority: 60,
    zone: "static",
    contribute({ availableTools, toolsKnown, toolName }) {
      const names = [...new Set(availableTools.map(inline))].filter((name) => name !== "").sort();
      if (names.length === 0) return undefined;
      const order = listed("This order is enforced:", prerequisites(toolName).map(inline));
      const lines = [
        `${toolsKnown === "all" ? "Available tools" : "Among your tools"}: ${names.join(", ")}`,
        "Use tools when they help. Do not narrate routine calls.",
        ...(order === undefined ? [] : [order]),
      ];
      return { heading: "Tools", content: lines.join("\n") };
    },
  };
}

/** The checkpoints among the tools that the agent has. */
export function checkpointsSection(
  checkpoints: readonly { readonly name: string; readonly description: string }[],
): PromptContributor {
  return {
    id: "builtin:checkpoints",
    priority: 65,
    zone: "static",
    contribute(context) {
      const lines = checkpoints
        .map(({ name, description }) => ({ name: context.toolName(name), description }))
        .filter(({ name }) => context.availableTools.includes(name))
        .map(({ name, description }) => `${inline(name)}: ${inline(description)}`);
      const content = listed("Call one when you are unsure, or before a step that is hard to undo:", lines);
      return content === undefined ? undefined : { heading: "Checkpoints", content };
    },
  };
}

import type { PromptContributor } from "../words/prompt.ts";

/** The current contributors from a workspace's files. Faults are reported separately. */
export type WorkspacePrompts = {
  /** Returns the contributors of the workspace at `root`. */
  at(root: string): Promise<readonly PromptContributor[]>;
};

import type { PromptContributor } from "../words/prompt.ts";

/** The contributors that the files of a workspace give, as they are now. What is wrong with one is reported elsewhere. */
export type WorkspacePrompts = {
  at(root: string): Promise<readonly PromptContributor[]>;
};

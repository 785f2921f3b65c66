import type { WorkspacePrompts } from "../../../base/ports/workspace-prompts.ts";
import type { Fault } from "../../../base/words/event.ts";
import { trustStore } from "../trust/trust.ts";
import { type WorkspacePrompts as FolderPrompts, workspacePrompts } from "./workspace-prompts.ts";

/** Limit of watched folders. The least recently used one is dropped and read again on its next use. */
const WATCHED = 64;

export function promptsOfWorkspaces(
  home: string,
  report: (fault: Fault, root: string) => void,
): WorkspacePrompts & { close(): void } {
  const trust = trustStore(home);
  const folders = new Map<string, FolderPrompts>();

  function at(root: string): FolderPrompts {
    const known = folders.get(root);
    folders.delete(root);
    const folder = known ?? workspacePrompts({ workspace: root, trust, report: (fault) => report(fault, root) });
    folders.set(root, folder);
    const [[oldest, prompts] = ["", undefined]] = folders;
    if (folders.size > WATCHED && prompts !== undefined) {
      prompts.close();
      folders.delete(oldest);
    }
    return folder;
  }

  return {
    at: (root) => at(root).current(),
    close() {
      for (const folder of folders.values()) folder.close();
      folders.clear();
    },
  };
}

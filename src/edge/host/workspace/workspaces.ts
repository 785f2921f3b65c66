import type { WorkspacePrompts } from "../../../base/ports/workspace-prompts.ts";
import type { Fault } from "../../../base/words/event.ts";
import { trustStore } from "../trust/trust.ts";
import { type WorkspacePrompts as FolderPrompts, workspacePrompts } from "./workspace-prompts.ts";

/** Folders that are watched at once; the one asked for longest ago goes first, and is looked at anew when it is asked for. */
const WATCHED = 64;

/** The prompts of every folder that a session works in, as far as a person trusts them. */
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

import { join } from "node:path";
import { type FolderResults, folderResults } from "../stores/results-folder.ts";

/** Where daemon and gateway keep whole what was cut: one that is started anew still has it, and each reads what the other kept. */
export function keptResults(home: string): FolderResults {
  return folderResults(join(home, "results"));
}

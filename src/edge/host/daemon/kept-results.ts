import { join } from "node:path";
import { type FolderResults, folderResults } from "../../stores/files/folder-results.ts";
import type { StoreKeys } from "../../stores/seal/store-keys.ts";

/**
 * Where daemon and gateway keep whole what was cut, sealed with the key of the home's store: one that is started anew still has it,
 * and each reads what the other kept.
 */
export function keptResults(home: string, keys: Pick<StoreKeys, "seal">): FolderResults {
  return folderResults(join(home, "results"), keys);
}

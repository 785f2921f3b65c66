import { existsSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Remembers which folder of the path exists now. The returned function tells whether it still exists, so that a later
 * background write does not recreate a removed folder.
 */
export function standingFolder(path: string): () => boolean {
  let standing = path;
  while (!existsSync(standing) && dirname(standing) !== standing) standing = dirname(standing);
  return () => existsSync(standing);
}

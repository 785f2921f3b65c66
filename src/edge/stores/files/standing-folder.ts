import { existsSync } from "node:fs";
import { dirname } from "node:path";

/**
 * The folders of a path that are there now. What the function returned says is whether they still are: whoever writes later, behind
 * somebody's back, must not bring back what was removed in between.
 */
export function standingFolder(path: string): () => boolean {
  let standing = path;
  while (!existsSync(standing) && dirname(standing) !== standing) standing = dirname(standing);
  return () => existsSync(standing);
}

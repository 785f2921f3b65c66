import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Resolves symlinks in the part of the path that exists. */
export function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realFolder(above), basename(path));
  }
}

import type { PathFact } from "../words/facts.ts";

/** The files an agent works on. Relative paths are under `root`; symlinks, `.` and `..` are resolved before anything is compared. */
export interface Filesystem {
  readonly root: string;
  /** Rejects only when the disk cannot be read; a missing file is a fact. */
  look(path: string, signal?: AbortSignal): Promise<PathFact>;
}

import { open, readdir, stat } from "node:fs/promises";

/** Reads files and folders. Nothing rejects: what cannot be read is `undefined` or empty. */
export type RepositoryFiles = {
  /** The first bytes of a regular file. */
  read(path: string, most: number): Promise<Buffer | undefined>;
  list(folder: string): Promise<readonly { readonly name: string; readonly isFolder: boolean }[]>;
  stat(path: string): Promise<FileStat | undefined>;
};

export type FileStat = { readonly isFolder: boolean; readonly size: number; readonly mtimeNs: bigint };

/** The files of this machine. Links are not followed by `list`, so a walk never leaves its folder. */
export const diskFiles: RepositoryFiles = {
  async read(path, most) {
    try {
      const file = await open(path, "r");
      try {
        if (!(await file.stat()).isFile()) return undefined;
        const bytes = Buffer.alloc(most);
        const { bytesRead } = await file.read(bytes, 0, most, 0);
        return bytes.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    } catch {
      return undefined;
    }
  },
  async list(folder) {
    try {
      const entries = await readdir(folder, { withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile() || entry.isDirectory())
        .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
    } catch {
      return [];
    }
  },
  async stat(path) {
    try {
      const found = await stat(path, { bigint: true });
      if (!found.isFile() && !found.isDirectory()) return undefined;
      return { isFolder: found.isDirectory(), size: Number(found.size), mtimeNs: found.mtimeNs };
    } catch {
      return undefined;
    }
  },
};

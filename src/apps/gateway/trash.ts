import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdir, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";

/**
 * A folder for what is to be deleted. Things are moved there first, so that they are out of the way at once, and what a process that
 * was killed left is found by the next one. No link is ever followed: whoever could write there may have put some.
 */
export class Trash {
  readonly #folder: string;

  /** It lies on the same disk as what is moved there. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whatever has that name, also a link; its content goes with `empty`. False where there is nothing. */
  async take(path: string): Promise<boolean> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await this.#check();
    return this.#move(path);
  }

  /** Deletes all that is there, and rejects with what could not be. Several may do so at once. */
  async empty(): Promise<void> {
    if ((await orNone(lstat(this.#folder))) === undefined) return;
    await this.#check();
    const stuck = new Map<string, unknown>();
    for (;;) {
      const names = (await readdir(this.#folder)).filter((name) => !stuck.has(name));
      if (names.length === 0) break;
      for (const name of names)
        await this.#dissolve(join(this.#folder, name)).catch((error: unknown) => stuck.set(name, error));
    }
    for (const [, error] of stuck) throw error;
  }

  /**
   * Deletes a file or a link; of a folder the files, and moves the folders in it up, to be dissolved in their turn. So no path gets
   * longer than that, however deep somebody has nested them.
   */
  async #dissolve(path: string): Promise<void> {
    const found = await orNone(lstat(path));
    if (found?.isDirectory() !== true) return orNone(unlink(path));
    await orNone(chmod(path, 0o700));
    // As bytes: not every name is a text.
    const entries = await orNone(readdir(path, { withFileTypes: true, encoding: "buffer" }));
    for (const entry of entries ?? []) {
      const inside = Buffer.concat([Buffer.from(`${path}/`), entry.name]);
      if (entry.isDirectory()) await this.#move(inside);
      else await orNone(unlink(inside));
    }
    await orNone(rmdir(path));
  }

  async #move(path: string | Buffer): Promise<boolean> {
    const found = await orNone(lstat(path));
    // A folder that may not be written to cannot be moved either.
    if (found?.isDirectory() === true) await orNone(chmod(path, 0o700));
    return (
      found !== undefined && (await orNone(rename(path, join(this.#folder, randomUUID())).then(() => true))) === true
    );
  }

  /** A link here would have what lies elsewhere deleted. */
  async #check(): Promise<void> {
    if (!(await lstat(this.#folder)).isDirectory())
      throw new Error(`${this.#folder} is not a folder, so nothing is deleted: take it away`);
  }
}

/** `undefined` for what is not there (any more). */
async function orNone<T>(doing: Promise<T>): Promise<T | undefined> {
  return doing.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

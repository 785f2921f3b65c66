import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFolder } from "../../edge/host/node/package-files.ts";

export type OwnCodeOptions = {
  readonly folder?: string;
  /** When this process began to load its code, in milliseconds since the epoch. */
  readonly since?: number;
};

/** Change time and size per file, and one hash of all contents. */
type Code = { readonly stamps: string; readonly hash: string };

/**
 * Detects that the code of this process was changed on disk, for example by a pull without a new version. Files
 * touched without a change do not count; once old, the process stays old, because it may have loaded new code.
 */
export class OwnCode {
  readonly #folder: string;
  readonly #since: number;
  #first: Code | undefined;
  #looking: Promise<void> | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isOld = false;

  constructor({ folder = packageFolder(), since = performance.timeOrigin }: OwnCodeOptions = {}) {
    this.#folder = folder;
    this.#since = since;
  }

  /** The result of the last check. */
  get isOld(): boolean {
    return this.#isOld;
  }

  /** Whether there is a baseline to compare with. */
  get isKnown(): boolean {
    return this.#first !== undefined;
  }

  /**
   * Takes a baseline the first time, then compares, at most once per `freshMs` because it stats about a thousand
   * files. Never rejects: unreadable files count as unchanged.
   */
  look(freshMs: number): Promise<void> {
    if (this.#isOld || performance.now() - this.#lookedAt < freshMs) return Promise.resolve();
    this.#looking ??= this.#look()
      .catch(() => undefined)
      .finally(() => {
        this.#lookedAt = performance.now();
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const files = await filesOf(this.#folder);
    const { stamps, newest } = await stampsOf(this.#folder, files);
    if (stamps === this.#first?.stamps) return;
    const hash = await hashOf(this.#folder, files);
    // The code changed while it was loading. A time in the future only means a wrong clock.
    const isLate = this.#first === undefined && newest > this.#since && newest <= Date.now();
    this.#isOld = isLate || (this.#first !== undefined && this.#first.hash !== hash);
    this.#first = { stamps, hash };
  }
}

/** All files that may be loaded, sorted, and those that list the installed packages. */
async function filesOf(folder: string): Promise<readonly string[]> {
  const root = existsSync(join(folder, "src")) ? "src" : "dist";
  const found = await readdir(join(folder, root), { recursive: true });
  const code = found.filter((name) => /\.(?:ts|mjs)$/.test(name) && !name.endsWith(".test.ts")).sort();
  return ["package.json", join("node_modules", ".package-lock.json"), ...code.map((name) => join(root, name))];
}

async function stampsOf(folder: string, files: readonly string[]) {
  let newest = 0;
  const stamps = await Promise.all(
    files.map(async (file) => {
      const found = await lstat(join(folder, file)).catch(() => undefined);
      if (found === undefined) return `${file} none`;
      // Not mtime: archives and copies preserve it.
      newest = Math.max(newest, found.ctimeMs);
      return `${file} ${found.ctimeMs} ${found.size}`;
    }),
  );
  return { stamps: stamps.join("\n"), newest };
}

async function hashOf(folder: string, files: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const file of files) {
    const text = await readFile(join(folder, file)).catch(() => undefined);
    hash.update(`${file}\0${text === undefined ? "none" : text.length}\0`);
    if (text !== undefined) hash.update(text);
  }
  return hash.digest("hex");
}

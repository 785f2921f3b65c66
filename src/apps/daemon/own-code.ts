import { createHash } from "node:crypto";
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFolder } from "../../edge/host/daemon/daemon-place.ts";

export type OwnCodeOptions = {
  readonly folder?: string;
  /** When this process began to load its code, in milliseconds since the epoch. */
  readonly since?: number;
};

/** Each file with its time of change and its size; and, by content, all of them together. */
type Code = { readonly stamps: string; readonly hash: string };

/**
 * The code that this process was started from. A pull or a person at work may have changed it since, without another version: then
 * the process is old. What has been touched and says the same is not. Once old, always old: some of the new may be loaded by now.
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

  /** As it was at the last look. */
  get isOld(): boolean {
    return this.#isOld;
  }

  /** There is something to compare with. */
  get isKnown(): boolean {
    return this.#first !== undefined;
  }

  /**
   * The first time it remembers what stands there, later it compares, unless it has done so within `freshMs`: some thousand files are
   * looked at. Never rejects: what cannot be read has not changed.
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
    // Changed while it was being loaded. A time that is yet to come says nothing but that a clock is wrong.
    const isLate = this.#first === undefined && newest > this.#since && newest <= Date.now();
    this.#isOld = isLate || (this.#first !== undefined && this.#first.hash !== hash);
    this.#first = { stamps, hash };
  }
}

/** All that may be loaded, in order; and what says which packages are installed. */
async function filesOf(folder: string): Promise<readonly string[]> {
  const found = await readdir(join(folder, "src"), { recursive: true });
  const code = found.filter((name) => /\.(?:ts|mjs)$/.test(name) && !name.endsWith(".test.ts")).sort();
  return ["package.json", join("node_modules", ".package-lock.json"), ...code.map((name) => join("src", name))];
}

async function stampsOf(folder: string, files: readonly string[]) {
  let newest = 0;
  const stamps = await Promise.all(
    files.map(async (file) => {
      const found = await lstat(join(folder, file)).catch(() => undefined);
      if (found === undefined) return `${file} none`;
      // Not the time of writing: archives and copies bring that along.
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

import type { JsonObject } from "../../../base/words/json.ts";
import type { HostedOptions } from "./hosted.ts";

/** How long new entries may wait for the next write. */
const SOON_MS = 50;

/**
 * Saves the new entries of a transcript, one write at a time. Entries that could not be saved are saved with the next
 * ones.
 */
export class TranscriptWriter {
  readonly #keep: HostedOptions["keep"];
  /** All entries from a position on. */
  readonly #since: (position: number) => readonly JsonObject[];
  #saved: number;
  #saving: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(keep: HostedOptions["keep"], saved: number, since: (position: number) => readonly JsonObject[]) {
    this.#keep = keep;
    this.#saved = saved;
    this.#since = since;
  }

  /** Resolves when the last write has ended. Rejects if it failed. */
  get saving(): Promise<void> {
    return this.#saving;
  }

  /** `more` is saved after the entries it refers to. */
  save(when: "now" | "soon" = "now", more: readonly JsonObject[] = []): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#saving = this.#saving.catch(() => undefined).then(() => this.#write(when, more));
    // Whoever needs the entries awaits `saving`.
    this.#saving.catch(() => undefined);
    return this.#saving;
  }

  /** Saves with the next write, or a moment later without one. */
  saveLater(): void {
    this.#timer ??= setTimeout(() => void this.save(), SOON_MS);
  }

  async #write(when: "now" | "soon", more: readonly JsonObject[]): Promise<void> {
    const fresh = this.#since(this.#saved);
    if (fresh.length + more.length === 0) return;
    await this.#keep([...fresh, ...more], when);
    this.#saved += fresh.length;
  }
}

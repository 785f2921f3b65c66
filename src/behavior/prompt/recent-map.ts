const MAX_ENTRIES = 1_000;
const MAX_CHARACTERS = 2_000_000;

/** Remembers what was asked for lately, by text: at most two generations of it, bounded in number and in characters. */
export class RecentMap<V> {
  #young = new Map<string, V>();
  #old = new Map<string, V>();
  #characters = 0;

  /** What `make` gives for this text; made only when it is not remembered. */
  recall(text: string, make: () => V): V {
    const known = this.#young.get(text);
    if (known !== undefined) return known;
    const value = this.#old.get(text) ?? make();
    if (this.#young.size >= MAX_ENTRIES || this.#characters + text.length > MAX_CHARACTERS) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#characters = 0;
    }
    this.#young.set(text, value);
    this.#characters += text.length;
    return value;
  }
}

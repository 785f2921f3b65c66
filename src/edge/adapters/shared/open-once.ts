/** Opens every key once. A failed opening is forgotten, so that the next request tries again. */
export class OpenOnce<T> {
  readonly #opened = new Map<string, Promise<T>>();

  get(key: string, open: () => Promise<T>): Promise<T> {
    const known = this.#opened.get(key);
    if (known !== undefined) return known;
    const opening = open();
    this.#opened.set(key, opening);
    opening.catch(() => {
      if (this.#opened.get(key) === opening) this.#opened.delete(key);
    });
    return opening;
  }

  /** The opening or opened value, if there is one. */
  find(key: string): Promise<T> | undefined {
    return this.#opened.get(key);
  }

  entries(): readonly (readonly [key: string, value: Promise<T>])[] {
    return [...this.#opened];
  }

  forget(key: string): void {
    this.#opened.delete(key);
  }
}

/** Opens one value when it is first needed, and again after a failure. */
export function openOnce<T>(open: () => Promise<T>): () => Promise<T> {
  const opened = new OpenOnce<T>();
  return () => opened.get("", open);
}

/** Keeps the end of a stream of bytes, so that a command that prints without end takes a bounded amount of memory. */
export class OutputTail {
  readonly #max: number;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    for (let first = this.#chunks[0]; first && this.#size - first.length >= this.#max; first = this.#chunks[0]) {
      this.#size -= first.length;
      this.#chunks.shift();
    }
  }

  /** At most `max` bytes of UTF-8 as text; a character that was cut in half at the front is left out. */
  text(): string {
    const bytes = Buffer.concat(this.#chunks);
    let from = Math.max(0, bytes.length - this.#max);
    if (from > 0) while (from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
    return bytes.toString("utf8", from);
  }
}

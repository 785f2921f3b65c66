/**
 * One hook can add 10,000 characters to the conversation; of a longer text the model gets the first 2 kB and a file
 * name. So a longer text is sent by several hooks of the same event.
 */
const PART_CHARS = 9_900;

/** The number of hooks of one event that carry text (`settings.ts` registers that many). */
export const PARTS = 4;

/** Splits a text into parts. Throws if there are too many: an agent must not run on half of its instructions. */
export function splitText(text: string): readonly string[] {
  if (text.length <= PART_CHARS) return text === "" ? [] : [text];
  const parts: string[] = [];
  for (let rest = text; rest !== ""; rest = rest.slice(parts.at(-1)?.length)) {
    if (parts.length === PARTS) {
      throw new Error(
        `the agent's prompt has ${text.length} characters, but Claude Code's hooks can carry only ${PARTS * PART_CHARS}; shorten its sections or the contract`,
      );
    }
    parts.push(rest.slice(0, endOfPart(rest)));
  }
  return parts.map((part, at) => `[Instructions, part ${at + 1} of ${parts.length}]\n${part}`);
}

const LABEL_CHARS = 60;

/** After a paragraph, else after a line, else anywhere except inside a character. */
function endOfPart(text: string): number {
  const most = PART_CHARS - LABEL_CHARS;
  if (text.length <= most) return text.length;
  const head = text.slice(0, most);
  for (const border of ["\n\n", "\n"]) {
    const at = head.lastIndexOf(border);
    if (at > most / 2) return at + border.length;
  }
  return /[\uD800-\uDBFF]$/.test(head) ? most - 1 : most;
}

/** How long a further part waits for the first hook, which decides on the text. */
const PATIENCE_MS = 25_000;

type Waiting = {
  readonly parts: Promise<readonly string[]>;
  resolve(parts: readonly string[]): void;
  /** The hooks still to come; the same event may arrive again under the same key. */
  readonly missing: Set<number>;
};

/** The further parts of open answers. The hooks of one event arrive at the same time, in any order. */
export class FurtherParts {
  readonly #answers = new Map<string, Waiting>();

  /** Passes the first hook's further parts to the other hooks. */
  give(key: string, parts: readonly string[]): void {
    this.#come(key, 1).resolve(parts);
  }

  /** Rejects if the first hook does not arrive. */
  async take(key: string, part: number): Promise<string | undefined> {
    const { parts } = this.#come(key, part);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("the hook with the first part did not arrive")), PATIENCE_MS);
    });
    return (await Promise.race([parts, late]).finally(() => clearTimeout(timer)))[part - 2];
  }

  #come(key: string, part: number): Waiting {
    const waiting = this.#answers.get(key) ?? this.#begin(key);
    waiting.missing.delete(part);
    if (waiting.missing.size === 0) this.#answers.delete(key);
    return waiting;
  }

  #begin(key: string): Waiting {
    const { promise: parts, resolve } = Promise.withResolvers<readonly string[]>();
    const missing = new Set(Array.from({ length: PARTS }, (_, at) => at + 1));
    const waiting = { parts, resolve, missing };
    this.#answers.set(key, waiting);
    setTimeout(() => {
      if (this.#answers.get(key) === waiting) this.#answers.delete(key);
    }, 2 * PATIENCE_MS).unref();
    return waiting;
  }
}

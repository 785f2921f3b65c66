import type { Heard } from "../../../engine/moments/message.ts";
import type { Announced } from "./user-message.ts";

/** `heard` when it was heard before the query began, so that its prompt could know of it. */
export type Waiting = Announced & { readonly heard?: Heard };

/**
 * The messages that were sent and have not come to the hook yet, oldest first. Only their texts tell which they are: the
 * hook's ids are the runtime's own, messages that wait are joined by line breaks, and the runtime's own commands
 * (`/compact`) never come at all.
 */
export class Announcements {
  #waiting: readonly Waiting[] = [];

  add(message: Waiting): void {
    this.#waiting = [...this.#waiting, message];
  }

  /**
   * The messages that make up a hook's prompt; none when nobody has sent it. One with modes that did not come is among
   * them, or its modes would be lost. What the runtime has put after the last one is part of that.
   */
  take(prompt: string): readonly Waiting[] {
    const taken: Waiting[] = [];
    let rest = prompt.trim();
    do {
      const at = this.#waiting.findIndex(({ sent }) => beginsWith(rest, sent.trim()));
      const found = this.#waiting[at];
      if (found === undefined) break;
      taken.push(...this.#waiting.slice(0, at).filter(({ modes }) => modes), found);
      this.#waiting = this.#waiting.slice(at + 1);
      rest = rest.slice(found.sent.trim().length).trimStart();
    } while (rest !== "");
    const last = taken.pop();
    return last === undefined ? [] : [...taken, rest === "" ? last : withMore(last, rest)];
  }
}

/** As a whole, or up to a line's end. Nothing but pictures is an empty text. */
function beginsWith(text: string, sent: string): boolean {
  if (sent === "" || text === "") return sent === text;
  return text.startsWith(sent) && /^[^\S\n]*(\n|$)/.test(text.slice(sent.length));
}

function withMore({ message, ...waiting }: Waiting, rest: string): Waiting {
  return { ...waiting, message: { ...message, text: `${message.text}\n\n${rest}` } };
}

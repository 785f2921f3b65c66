import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import { type Looked, lookAt } from "./look.ts";
import type { ReviewRecord, ReviewWindow } from "./steps.ts";

export type WindowFigures = Pick<ReviewRecord, "sessions" | "messages" | "decisions">;

/** How much there was to look at in a window. */
export class CountWindow {
  readonly #sessions = new Set<string>();
  #messages = 0;
  #decisions = 0;

  see({ event, isNew }: Looked): void {
    if (!isNew) return;
    this.#sessions.add(event.session);
    if (event.type === "message") this.#messages += 1;
    if (event.type === "call" || event.type === "stop") this.#decisions += 1;
  }

  get figures(): WindowFigures {
    return { sessions: this.#sessions.size, messages: this.#messages, decisions: this.#decisions };
  }
}

/** For whoever goes on where another process has looked. */
export async function countWindow(events: EventJournal, window: ReviewWindow): Promise<WindowFigures> {
  const count = new CountWindow();
  for await (const looked of lookAt(events, window, 0)) count.see(looked);
  return count.figures;
}

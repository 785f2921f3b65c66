import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Sender } from "../../../base/words/hosting/channel.ts";
import { isQuoted } from "./evidence.ts";
import type { Evidence } from "./steps.ts";

const HEADING = /^\s*#?\s*Daily review · \d/;
/** Lines of a digest: a candidate, its confidence, or why it waits. */
const LINE = /^\s*(?:\*{0,2}c_\w+\*{0,2} · |confidence [01]\.\d\d · |cannot be promoted yet: )/;

/**
 * Blanks the pasted parts of a digest: everything from its heading on, else single lines. Line numbers stay the same.
 */
export function withoutDigest(text: string): string {
  if (!text.includes(" · ") && !text.includes("cannot be promoted yet")) return text;
  const lines = text.split("\n");
  const heading = lines.findIndex((line) => HEADING.test(line));
  const own = heading < 0 ? lines : lines.slice(0, heading);
  return own.map((line) => (LINE.test(line) ? "" : line)).join("\n");
}

type Held = { readonly user?: string; readonly channel?: string };

/** Collects people's messages and their recipients. Messages of schedules, other agents and viewers are left out. */
export class Said {
  readonly #events: Pick<EventJournal, "session">;
  readonly #messages = new Map<string, Extract<ConductEvent, { type: "message" }>>();
  readonly #held = new Map<string, Held>();

  constructor(events: Pick<EventJournal, "session">) {
    this.#events = events;
  }

  see(event: ConductEvent): void {
    if (event.type === "session" && (event.change === "opened" || event.change === "resumed"))
      this.#held.set(event.session, event);
    if (event.type !== "message" || event.parent !== undefined) return;
    const { sender } = event;
    if (sender?.role !== "viewer" && sender?.id?.startsWith("schedule:") !== true) this.#messages.set(event.id, event);
  }

  /** In order of time, without pasted digests. */
  async messages(): Promise<readonly SaidMessage[]> {
    const said: SaidMessage[] = [];
    for (const { session, id: event, at, text, sender, agent } of this.#messages.values()) {
      const held = await this.#heldBy(session);
      if (held.channel === "scheduled") continue;
      const { user = held.user, role } = sender ?? {};
      said.push({
        ...{ session, event, at, text: withoutDigest(text), agent, sender, user, channel: held.channel },
        role: role === "operator" ? role : "user",
      });
    }
    return said.sort((a, b) => a.at - b.at || (a.event < b.event ? -1 : 1));
  }

  has({ event, quote }: Evidence): boolean {
    return isQuoted(quote, this.#messages.get(event)?.text ?? "");
  }

  /** The session may have been opened long before the window. */
  async #heldBy(session: string): Promise<Held> {
    const known = this.#held.get(session) ?? (await this.#events.session(session)) ?? {};
    this.#held.set(session, known);
    return known;
  }
}

/** A message that a person wrote, according to the transport: never an agent's, a tool's or a forwarded text. */
export type SaidMessage = {
  readonly session: string;
  readonly event: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly text: string;
  readonly sender?: Sender;
  readonly user?: string;
  readonly agent: string;
  readonly channel?: string;
  readonly role: "operator" | "user";
};

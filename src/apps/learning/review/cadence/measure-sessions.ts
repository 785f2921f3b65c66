import type { ConductEvent } from "../../../../base/words/event.ts";
import type { Evidence } from "../finding.ts";
import type { Looked } from "../look.ts";

export type Measure = "words in a reply" | "replies in a turn" | "calls in a turn" | "minutes to a reply";

/** `shown`: its longest reply. */
export type MeasuredSession = {
  readonly agent: string;
  readonly went: "well" | "badly";
  readonly isNew: boolean;
  readonly shown: Evidence;
  readonly of: Readonly<Record<Measure, number>>;
};

type Figures = {
  readonly agent: string;
  isNew: boolean;
  turns: number;
  calls: number;
  replies: number;
  words: number;
  /** Total time waiting for replies, and the start of the current wait. */
  waited: number;
  since: number;
  longest: number;
  shown: Evidence | undefined;
  completed: boolean;
  failed: boolean;
};

/**
 * Measures session by session. Only clear signs make a session bad: a refused or incomplete stop, a cancelled call, a
 * correction.
 */
export class MeasureSessions {
  readonly #sessions = new Map<string, Figures>();

  see({ event, isNew }: Looked): void {
    if (event.parent !== undefined) return;
    const figures = this.#of(event);
    figures.isNew ||= isNew;
    switch (event.type) {
      case "message":
        if (event.reply !== undefined) return;
        figures.turns += 1;
        figures.since = event.at;
        return;
      case "call":
        figures.calls += 1;
        return;
      case "result":
        figures.failed ||= event.outcome === "cancelled";
        return;
      case "stop":
        figures.completed ||= event.status === "complete";
        figures.failed ||= event.status === "refused" || event.status === "incomplete";
        return;
      case "notice":
        if (event.notice.kind === "reply") this.#reply(figures, event, event.notice.text);
    }
  }

  /** Sessions with a known result; `corrected` are those in which a person had to correct something. */
  measured(corrected: ReadonlySet<string>): readonly MeasuredSession[] {
    return [...this.#sessions].flatMap(([session, figures]): readonly MeasuredSession[] => {
      const { agent, isNew, turns, calls, replies, words, waited, shown, completed, failed } = figures;
      if (shown === undefined || turns === 0) return [];
      const bad = failed || corrected.has(session);
      if (!bad && !completed) return [];
      const of = {
        "words in a reply": words / replies,
        "replies in a turn": replies / turns,
        "calls in a turn": calls / turns,
        "minutes to a reply": waited / replies / 60_000,
      };
      return [{ agent, went: bad ? "badly" : "well", isNew, shown, of }];
    });
  }

  #reply(figures: Figures, { session, id, at }: ConductEvent, text: string): void {
    const quote = text.split("\n").find((line) => line.trim() !== "");
    if (quote === undefined || figures.turns === 0) return;
    const words = text.split(/\s+/).filter((word) => word !== "").length;
    figures.replies += 1;
    figures.words += words;
    figures.waited += Math.max(0, at - figures.since);
    figures.since = at;
    if (words <= figures.longest) return;
    figures.longest = words;
    figures.shown = { session, event: id, quote };
  }

  #of({ session, agent, at }: ConductEvent): Figures {
    const known = this.#sessions.get(session) ?? {
      ...{ agent, isNew: false, turns: 0, calls: 0, replies: 0, words: 0, waited: 0, since: at, longest: 0 },
      ...{ shown: undefined, completed: false, failed: false },
    };
    this.#sessions.set(session, known);
    return known;
  }
}

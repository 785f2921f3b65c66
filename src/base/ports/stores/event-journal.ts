import type { ConductEvent } from "../../words/event.ts";

/** A stored event. `position` increases in reading order, with gaps. */
export type KeptEvent = { readonly position: number; readonly event: ConductEvent };

/**
 * All given filters must match. `since`: milliseconds since the epoch. `denied`: denied calls only. `objected`: calls
 * that a rule denied, asked about, or would have in shadow (calls whose arguments look like that may be included).
 * `contract`: prompts that contained the contract with this hash or hash prefix. `text`: every word must be a prefix
 * of a word in messages, tools, arguments, reasons or labels.
 */
export type EventFilter = {
  readonly session?: string;
  readonly agent?: string;
  readonly channel?: string;
  readonly types?: readonly ConductEvent["type"][];
  readonly denied?: true;
  readonly objected?: true;
  readonly since?: number;
  readonly contract?: string;
  readonly text?: string;
};

/** `next` is the position to continue from; absent on the last page. */
export type EventPage = { readonly events: readonly KeptEvent[]; readonly next?: number };

/** Statistics of a session, from its stored events. `tokens` counts its own model calls, not those of its children. */
export type SessionSummary = {
  readonly session: string;
  readonly parent?: string;
  readonly agent: string;
  readonly user?: string;
  readonly channel?: string;
  readonly label?: string;
  /** From the latest classification. */
  readonly topic?: string;
  readonly complexity?: string;
  readonly startedAt: number;
  readonly lastAt: number;
  readonly ended: boolean;
  readonly turns: number;
  readonly prompts: number;
  readonly calls: number;
  readonly denials: number;
  readonly stopsRefused: number;
  readonly incomplete: number;
  readonly tokens: number;
};

export type SessionQuery = {
  /** Only direct children of this session. */
  readonly parent?: string;
  readonly agent?: string;
  readonly channel?: string;
  readonly user?: string;
  readonly topic?: string;
  readonly complexity?: string;
  readonly denied?: true;
  readonly incomplete?: true;
  /** Only sessions with an event in which every word of this text is a prefix of a word. */
  readonly text?: string;
  /** Only sessions with an event at or after this time. */
  readonly since?: number;
  /**
   * Only sessions with an event at or before this time and not before `since`; with `denied` it must be a denied call.
   */
  readonly until?: number;
  readonly limit: number;
  /** Number of newest sessions to skip. */
  readonly offset?: number;
};

/** `atLeast`: the words are in very many events and only the newest of those were looked at, so there may be more. */
export type SessionPage = {
  readonly sessions: readonly SessionSummary[];
  readonly total: number;
  readonly atLeast?: true;
};

/** Counts of events. `stableTokens`: prompt tokens that a provider can cache; `tokensSaved`: by truncation. */
export type Figures = {
  readonly calls: number;
  readonly denials: number;
  readonly asked: number;
  readonly stopsRefused: number;
  readonly prompts: number;
  readonly promptTokens: number;
  readonly stableTokens: number;
  readonly tokensSaved: number;
};

/** `since` and `until` are milliseconds; they are widened to whole hours or days (UTC). */
export type FiguresQuery = {
  readonly by: "hour" | "day";
  readonly since: number;
  readonly until: number;
  readonly agent?: string;
};

/** One agent's figures in the hour or day that starts at `at`. */
export type FiguresAt = Figures & { readonly at: number; readonly agent: string };

/** Text of a prompt section, by the hash in the prompt's event. */
export type SectionText = { readonly hash: string; readonly text: string };

/** A section text sent to a session, and when. */
export type SectionTold = SectionText & { readonly session: string; readonly at: number };

/** Number of prompts and sessions that contained a contract; `lastAt` is the latest. */
export type ContractUse = { readonly prompts: number; readonly sessions: number; readonly lastAt?: number };

/** Finds the prompts that contained a contract, among the stored events. */
export type ContractsTold = {
  use(hash: string): Promise<ContractUse>;
  /** The newest prompts that contained the contract with this hash or hash prefix. */
  prompts(hash: string, limit: number): Promise<readonly ConductEvent[]>;
  session(id: string): Promise<SessionSummary | undefined>;
};

export type AgentSeen = { readonly agent: string; readonly sessions: number; readonly lastAt: number };

/** Session events, stored until they expire. Methods reject only if the store fails. */
export type EventJournal = {
  /**
   * Writes all events or none, durable before it resolves. Events with a known id are skipped. Returns the number of
   * new ones.
   */
  append(events: readonly ConductEvent[]): Promise<number>;
  /** Newest first; `before` is a position to continue from. */
  read(query: EventFilter & { readonly before?: number; readonly limit: number }): Promise<EventPage>;
  /**
   * Events after a position, oldest first. Continuing from the last position misses nothing, even with concurrent
   * writers.
   */
  follow(query: EventFilter & { readonly after: number; readonly limit: number }): Promise<readonly KeptEvent[]>;
  find(id: string): Promise<KeptEvent | undefined>;
  /** Calls decided or asked about under this id, and the answers; oldest first. */
  findDecision(id: string): Promise<readonly KeptEvent[]>;
  /** All events of these sessions: one list per session, in the requested order, each from its beginning. */
  histories(sessions: readonly string[]): Promise<readonly (readonly ConductEvent[])[]>;
  count(filter: EventFilter): Promise<number>;
  /** Position of the newest event; 0 if there is none. */
  head(): Promise<number>;
  session(id: string): Promise<SessionSummary | undefined>;
  /** Sorted by newest event first. */
  sessions(query: SessionQuery): Promise<SessionPage>;
  /** Sorted by newest event first. */
  agents(): Promise<readonly AgentSeen[]>;
  /** Use of the contract with this hash, counted over the stored events. */
  contractUse(hash: string): Promise<ContractUse>;
  /** Hours or days of agents with any events, oldest first. */
  figures(query: FiguresQuery): Promise<readonly FiguresAt[]>;
  /** Questions to a person since this time without an answer among the events; oldest first. */
  unanswered(since: number): Promise<readonly KeptEvent[]>;
  /**
   * Stores the texts of sections sent to sessions, each only once. A text is deleted with its last session, or once it
   * has not been sent for a day longer than events are stored.
   */
  keepSections(told: readonly SectionTold[]): Promise<void>;
  /** Texts by hash; unknown hashes are missing from the map. */
  readSections(hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Deletes all events of one session, not those of its children. Returns how many. */
  deleteSession(id: string): Promise<number>;
  /** Deletes events from before this time, except those that identify a session that continued. Returns how many. */
  expire(before: number): Promise<number>;
  /** Recomputes the statistics of every session from the events. Returns the number of sessions. */
  rebuild(): Promise<number>;
};

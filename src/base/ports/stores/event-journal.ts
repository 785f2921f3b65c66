import type { ConductEvent } from "../../words/event.ts";

/** An event as it is kept. `position` grows in the order in which events can be read; it has gaps. */
export type KeptEvent = { readonly position: number; readonly event: ConductEvent };

/**
 * All that is given has to hold. `since` is milliseconds since the epoch; `denied` asks for denied calls only; `objected` for calls that
 * a rule denied, asked about, or would have in shadow (one whose own arguments look so may be among them); `contract` for prompts
 * that told the contract with this hash, or one that begins so; `text` for events in which every word of it is the beginning of
 * a word: in messages, tools, arguments, reasons, labels.
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

/** `next` is the position to go on from; absent when there is no more. */
export type EventPage = { readonly events: readonly KeptEvent[]; readonly next?: number };

/** A session in figures, as its kept events tell it. `tokens` are those of its own model calls, its children's not among them. */
export type SessionSummary = {
  readonly session: string;
  readonly parent?: string;
  readonly agent: string;
  readonly user?: string;
  readonly channel?: string;
  readonly label?: string;
  /** As the newest look at the conversation has it. */
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
  /** Turns that ended incomplete. */
  readonly incomplete: number;
  readonly tokens: number;
};

export type SessionQuery = {
  /** Those right below this one. */
  readonly parent?: string;
  readonly agent?: string;
  readonly channel?: string;
  readonly user?: string;
  readonly topic?: string;
  readonly complexity?: string;
  /** Those with a denied call. */
  readonly denied?: true;
  /** Those with a turn that ended incomplete. */
  readonly incomplete?: true;
  /** Those with an event in which every word of it is the beginning of a word. */
  readonly text?: string;
  /** Those with an event at or after this time. */
  readonly since?: number;
  /** Those with an event at or before this time, and not before `since`; with `denied` it is a denied call. */
  readonly until?: number;
  readonly limit: number;
  /** How many of the newest to leave out. */
  readonly offset?: number;
};

/** What happened, counted. `stableTokens`: those of the prompts that a provider's cache can hold; `tokensSaved`: by truncation. */
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

/** `since` and `until` in milliseconds; the hours or days (UTC) that they are in are counted whole. */
export type FiguresQuery = {
  readonly by: "hour" | "day";
  readonly since: number;
  readonly until: number;
  readonly agent?: string;
};

/** One agent's figures in the hour or day that begins at `at`. */
export type FiguresAt = Figures & { readonly at: number; readonly agent: string };

/** The text of a prompt's section, under the hash that the prompt's event has of it. */
export type SectionText = { readonly hash: string; readonly text: string };

/** The same as a session was told it, then. */
export type SectionTold = SectionText & { readonly session: string; readonly at: number };

/** In how many prompts, of how many sessions, a contract was told; `lastAt` when it was last. */
export type ContractUse = { readonly prompts: number; readonly sessions: number; readonly lastAt?: number };

/** Where contracts were told, as far as events are kept. */
export type ContractsTold = {
  use(hash: string): Promise<ContractUse>;
  /** The newest prompts that told the contract with this hash, or one that begins so. */
  prompts(hash: string, limit: number): Promise<readonly ConductEvent[]>;
  session(id: string): Promise<SessionSummary | undefined>;
};

export type AgentSeen = { readonly agent: string; readonly sessions: number; readonly lastAt: number };

/** What happened in sessions, kept until it expires. Every method rejects when the store cannot be used, and only then. */
export type EventJournal = {
  /** All or nothing, durable before it resolves. An event whose id is there already is left as it is; gives how many were new. */
  append(events: readonly ConductEvent[]): Promise<number>;
  /** The newest first; `before` is a position to go on from. */
  read(query: EventFilter & { readonly before?: number; readonly limit: number }): Promise<EventPage>;
  /** What came after a position, the oldest first: who reads on from the last position misses nothing, whoever writes. */
  follow(query: EventFilter & { readonly after: number; readonly limit: number }): Promise<readonly KeptEvent[]>;
  find(id: string): Promise<KeptEvent | undefined>;
  /** Calls decided under this id, or asked about under it, and the answers to it; the oldest first. */
  findDecision(id: string): Promise<readonly KeptEvent[]>;
  /** All events of these sessions: a list for each, in the order asked for, every one from its beginning. */
  histories(sessions: readonly string[]): Promise<readonly (readonly ConductEvent[])[]>;
  count(filter: EventFilter): Promise<number>;
  /** Position of the newest event; 0 when there is none. */
  head(): Promise<number>;
  session(id: string): Promise<SessionSummary | undefined>;
  /** Those with the newest events first. */
  sessions(query: SessionQuery): Promise<{ readonly sessions: readonly SessionSummary[]; readonly total: number }>;
  /** Those with the newest events first. */
  agents(): Promise<readonly AgentSeen[]>;
  /** Where the contract with this hash was told, as far as events are kept. */
  contractUse(hash: string): Promise<ContractUse>;
  /** Those hours or days of agents in which something happened, the oldest first. */
  figures(query: FiguresQuery): Promise<readonly FiguresAt[]>;
  /** Questions to a person, asked at or after this time and not answered as far as events tell; the oldest first. */
  unanswered(since: number): Promise<readonly KeptEvent[]>;
  /**
   * The texts of sections that sessions were told. Each is kept once, for however many sessions, until the last of them is
   * deleted or has not been told it for a day longer than events are kept.
   */
  keepSections(told: readonly SectionTold[]): Promise<void>;
  /** By hash; those that are not there are not in it. */
  readSections(hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Takes out all events of one session; gives how many. A child's are its own. */
  deleteSession(id: string): Promise<number>;
  /** Takes out events from before this time; a session that went on keeps those that say whose it is. Gives how many. */
  expire(before: number): Promise<number>;
  /** Works out every session's figures anew from the events; gives how many sessions there are. */
  rebuild(): Promise<number>;
};

import type { ContractScope, ContractView } from "../../words/contract.ts";

/**
 * Adherence to one directive or rule on one day (UTC), over the turns in which it was in force. A turn counts once:
 * violated if any check says so, else followed if one does, else unknown.
 */
export type AdherenceRow = {
  /** For example `2026-11-15`. */
  readonly day: string;
  readonly of: "directive" | "rule";
  readonly id: string;
  readonly scope?: ContractScope;
  readonly inForce: number;
  readonly followed: number;
  readonly violated: number;
  readonly cannotTell: number;
  /** The check, as a person writes it; absent if none was declared. */
  readonly by?: string;
  /** Up to five events as evidence for each, newest last. */
  readonly shown: { readonly followed: readonly string[]; readonly violated: readonly string[] };
};

/** How one turn counts for one directive or rule. */
export type CountedTurn = Pick<AdherenceRow, "day" | "of" | "id" | "scope" | "by"> & {
  readonly kind: "followed" | "violated" | "cannot-tell";
  /** The event that shows it. */
  readonly event?: string;
};

/** The last turn of a session as it was counted. Later events of the turn may change its count. */
export type LastTurn = {
  readonly session: string;
  readonly turn: number;
  /** Position of its first prompt. */
  readonly first: number;
  /** No later event can change the count. */
  readonly final: boolean;
  readonly view: ContractView;
  readonly counted: readonly CountedTurn[];
};

/** Adherence by day, counted by a follower of the journal that stores its position. Counts outlive deleted events. */
export type AdherenceStore = {
  /** The position of the last counted event; 0 if none was counted. */
  position(): Promise<number>;
  /** Rows from one day to another, both included. */
  rows(from: string, to: string): Promise<readonly AdherenceRow[]>;
  lastTurns(sessions: readonly string[]): Promise<ReadonlyMap<string, LastTurn>>;
  /** Replaces rows and turns and moves the position, all or nothing. False if it is no longer at `from`. */
  advance(step: {
    readonly from: number;
    readonly to: number;
    readonly rows: readonly AdherenceRow[];
    readonly turns: readonly LastTurn[];
  }): Promise<boolean>;
  /** Forgets everything, so that the follower begins again. */
  clear(): Promise<void>;
};

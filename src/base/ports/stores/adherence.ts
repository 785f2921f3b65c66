import type { AdherenceRow, CountedTurn } from "../../words/adherence.ts";
import type { ContractView } from "../../words/contract.ts";

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

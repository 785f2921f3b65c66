import type { JsonObject } from "../../../words/json.ts";

/** A gateway process among those that share one PostgreSQL. */
export type ReplicaInfo = {
  /** Unique for each start. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  /** When it started, in milliseconds since the epoch. */
  readonly since: number;
  /** Absent until it listens. */
  readonly url?: string;
  /** The folder of its workspaces. Replicas with the same one share their files. */
  readonly files?: string;
  /** The number of its newest live message. Absent in versions that do not number them. */
  readonly sent?: number;
  /** Whether live messages reach it over Redis. */
  readonly redis?: boolean;
};

export type ReplicaState = {
  /** It accepts no more messages and takes no more conversations. */
  readonly draining: boolean;
  /** The number of turns that run there. */
  readonly running: number;
};

export type ReplicaRow = ReplicaInfo &
  ReplicaState & {
    /** Time since its last heartbeat, by the database's clock. */
    readonly silentMs: number;
    /** The conversations whose lease it holds, at most 100. */
    readonly owns: readonly string[];
  };

/** `fence` grows with every new owner. */
export type Taken =
  | { readonly kind: "mine"; readonly fence: number }
  | { readonly kind: "theirs"; readonly replica: string };

/** Turns that wait in the whole store. */
export type Backlog = { readonly queued: number; readonly oldestMs: number };

export type ReplicaSignals = {
  /** A live message of another replica. Messages may be lost. */
  readonly onLive: (body: JsonObject) => void;
  /** Call `receive`: there may be mail. Also called after every reconnect. */
  readonly onMail: () => void;
};

/**
 * The replicas of one store and the leases of their conversations. All times are the database's. After `join`, the
 * store rejects every write of this process to a conversation whose lease it does not hold, with `LEASE_LOST`.
 */
export type ReplicasStore = {
  join(self: ReplicaInfo): Promise<void>;
  /** Returns false if other replicas have declared this one dead and taken over its work. */
  beat(self: ReplicaInfo, state: ReplicaState): Promise<boolean>;
  /** Frees all leases of this replica and removes it. */
  leave(): Promise<void>;
  list(): Promise<readonly ReplicaRow[]>;
  /** Frees the leases of replicas without a heartbeat for so long. Returns their ids, each to one caller only. */
  reap(silentMs: number): Promise<readonly string[]>;
  /** Takes a lease, unless another replica holds it. */
  take(conversation: string): Promise<Taken>;
  give(conversation: string): Promise<void>;
  /**
   * Which folder has the files of an agent and user. It becomes `own`, unless it is one of `others`, which are in use by
   * living replicas. `moved` names the folder that was given up.
   */
  placeFiles(
    of: { readonly agent: string; readonly user: string },
    own: string,
    others: readonly string[],
  ): Promise<{ readonly files: string; readonly moved?: string | undefined }>;
  /**
   * Frees leases of this replica that it does not hold. It has such a lease if the answer to `take` was lost on the way,
   * and nobody else could ever take that conversation.
   */
  freeUnheld(held: () => Iterable<string>): Promise<void>;
  /** Conversations with open turns and without an owner, the longest waiting first. */
  waiting(limit: number): Promise<readonly string[]>;
  backlog(): Promise<Backlog>;
  /** Stores a message for one replica, or for all others. */
  send(to: string | "others", body: JsonObject): Promise<void>;
  /** Takes the messages for this replica out of the store, in order. */
  receive(): Promise<readonly JsonObject[]>;
  /** Sends messages to all others without storing them. Large ones are stored. */
  publish(bodies: readonly JsonObject[]): Promise<void>;
  /** Returns a function that stops listening. */
  listen(signals: ReplicaSignals): Promise<() => Promise<void>>;
};

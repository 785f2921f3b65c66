import type { Json, JsonObject } from "../../../base/words/json.ts";

/** Ends one hold. Never rejects. Does nothing if the lease was lost in the meantime, even if it is held again. */
export type GiveBack = () => Promise<void>;

/** `isUnbroken`: no other process has owned it since this one last did, so its session in memory is still current. */
export type Hold =
  | { readonly kind: "mine"; readonly isUnbroken: boolean; readonly give: GiveBack }
  | { readonly kind: "theirs"; readonly replica: string };

/** Files of agents are kept for each agent and user. */
export type FilesOf = { readonly agent: string; readonly user: string };

/**
 * Which process works on a conversation. An owner may hold a conversation several times; the lease ends with the last
 * hold.
 */
export type Ownership = {
  /** Whether other gateways use the same store. */
  readonly isShared: boolean;
  /** `near`: leaves the conversation to the gateway that has the files of its agent and user, if there is another one. */
  take(conversation: string, near?: FilesOf): Promise<Hold>;
  /** Adds a hold to a conversation that is held already. */
  keep(conversation: string): GiveBack;
  /** Performs an act at the owner. Resolves to `undefined` if that replica does not own the conversation any more. */
  ask(replica: string, conversation: string, act: JsonObject): Promise<{ readonly value: Json } | undefined>;
  /** Sends an act to the owner without waiting. */
  post(replica: string, conversation: string, act: JsonObject): Promise<void>;
};

/** The right to do something that only one gateway may do. */
export type Leader = {
  /** Returns true if this process has the right. */
  take(): Promise<boolean>;
  give(): Promise<void>;
  /** Calls the listener when another gateway may have taken the right. Returns a function that unsubscribes. */
  onLost(listener: () => void): () => void;
};

const nothing: GiveBack = async () => undefined;

/** For a store with one gateway: it owns everything. */
export const SOLE_OWNER: Ownership = {
  isShared: false,
  take: async () => ({ kind: "mine", isUnbroken: true, give: nothing }),
  keep: () => nothing,
  ask: async () => undefined,
  post: async () => undefined,
};

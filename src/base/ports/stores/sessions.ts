import type { JsonObject } from "../../words/json.ts";

/** A session between two moments: what `serialise()` gave, and what whoever hosts it keeps beside it. */
export type SessionState = { readonly snapshot: string; readonly beside: JsonObject };

/** `version` counts its saves, from 1. */
export type KeptSession = SessionState & { readonly version: number };

/** `beside`: what is beside it from now on; as it was unless told. */
export type SessionChange = {
  readonly change: string;
  readonly beside?: JsonObject;
  readonly expectedVersion: number;
  readonly at: number;
};

/** Who may decide for a session, and until when. Times are milliseconds since the epoch. */
export type Lease = { readonly holder: string; readonly until: number };

/** `over`: a holder that is known to be gone, whose lease need not be waited for. */
export type LeaseWish = Lease & { readonly now: number; readonly over?: string };

/** Keeps sessions beyond the process that decides for them. Rejects when it cannot tell: a failed read is not "none". */
export type SessionsStore = {
  /** `undefined` when it was never saved. Rejects with the code `SESSION_DAMAGED` when what was saved cannot be decoded. */
  load(id: string): Promise<KeptSession | undefined>;
  /**
   * Moves what is kept of a session to where it stays as evidence, untouched, with the reason. Afterwards it is as if it was never saved;
   * whoever holds it still does.
   */
  setAside(id: string, why: string, at: number): Promise<void>;
  /** Writes version `expectedVersion + 1`, the first after 0; false, and nothing written, when another has saved it since. */
  save(id: string, state: SessionState & { readonly expectedVersion: number; readonly at: number }): Promise<boolean>;
  /**
   * Writes version `expectedVersion + 1` as what has changed since the one before (`serialiseChange`). False, and nothing written, when another has saved it since, or it was never saved. `load` gives the whole.
   */
  append(id: string, change: SessionChange): Promise<boolean>;
  /**
   * Gives the lease that holds now: the one wished for, unless somebody else has one that is not over. One that would last more
   * than an hour longer than the wish was made by a clock that was wrong, and counts as over.
   */
  lease(id: string, wish: LeaseWish): Promise<Lease>;
  /** All leases of a holder last until then; those that it has lost stay lost. */
  renew(lease: Lease): Promise<void>;
  /** Nothing happens when it is not the holder's. */
  release(id: string, holder: string): Promise<void>;
  /** Forgets one, whoever holds it. */
  remove(id: string): Promise<void>;
  /** Forgets those last saved before then, unless somebody holds them; says how many. */
  expire(before: number): Promise<number>;
};

import type { JsonObject } from "../../words/json.ts";

/** A saved session: the output of `serialise()`, and the host's own data in `beside`. */
export type SessionState = { readonly snapshot: string; readonly beside: JsonObject };

/** `version` counts the saves, from 1. */
export type KeptSession = SessionState & { readonly version: number };

/** `beside` replaces the host's data. Default: unchanged. */
export type SessionChange = {
  readonly change: string;
  readonly beside?: JsonObject;
  readonly expectedVersion: number;
  readonly at: number;
};

/** The process that may decide for a session, and until when. Times are milliseconds since the epoch. */
export type Lease = { readonly holder: string; readonly until: number };

/** `over`: a holder known to be gone, whose lease is ignored. */
export type LeaseWish = Lease & { readonly now: number; readonly over?: string };

/**
 * Stores sessions, so that they outlive their process. Rejects if the store fails, so a failed read never looks like
 * "none".
 */
export type SessionsStore = {
  /** `undefined` if it was never saved. Rejects with the code `SESSION_DAMAGED` if the saved data cannot be decoded. */
  load(id: string): Promise<KeptSession | undefined>;
  /**
   * Moves a session's saved data aside unchanged, as evidence, with the reason. Afterwards it counts as never saved;
   * its lease stays in force.
   */
  setAside(id: string, why: string, at: number): Promise<void>;
  /**
   * Writes version `expectedVersion + 1` (0 for the first). Returns false and writes nothing if another process saved
   * it since.
   */
  save(id: string, state: SessionState & { readonly expectedVersion: number; readonly at: number }): Promise<boolean>;
  /**
   * Writes version `expectedVersion + 1` as a delta (`serialiseChange`). Returns false and writes nothing if another
   * process saved it since, or it was never saved. `load` returns the full state.
   */
  append(id: string, change: SessionChange): Promise<boolean>;
  /**
   * Returns the lease in force: the requested one, unless another holder's has not expired. A lease that ends over an
   * hour after the requested one comes from a wrong clock and counts as expired.
   */
  lease(id: string, wish: LeaseWish): Promise<Lease>;
  /** Extends all leases of a holder; lost leases stay lost. */
  renew(lease: Lease): Promise<void>;
  /** Does nothing if the lease belongs to another holder. */
  release(id: string, holder: string): Promise<void>;
  /** Deletes a session, even if it is leased. */
  remove(id: string): Promise<void>;
  /** Deletes sessions last saved before this time, except leased ones. Returns how many. */
  expire(before: number): Promise<number>;
};

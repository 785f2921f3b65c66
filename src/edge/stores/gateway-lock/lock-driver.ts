import type { RunningGateway } from "./running-gateway.ts";

/** A lock on one kind of store. The operating system or the server frees it when the process that holds it is gone. */
export type LockDriver = {
  /** False if another process holds it. Rejects if that cannot be told. */
  take(): Promise<boolean>;
  /** Is it certain that this process still holds it? Rejects or returns false if not. */
  isHeld(): Promise<boolean>;
  /** Calls back as soon as the driver notices that the lock is gone. */
  onLost(lost: () => void): void;
  /** The holder's own description, or that of an earlier holder. */
  readHolder(): Promise<RunningGateway | undefined>;
  /** Only while it is held. */
  writeHolder(holder: RunningGateway): Promise<void>;
  /** Gives it back, whether or not it is held. Never rejects. */
  release(): Promise<void>;
};

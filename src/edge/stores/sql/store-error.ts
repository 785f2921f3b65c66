/** What is wrong with a store. */
export type StoreErrorCode =
  | "STORE_UNAVAILABLE"
  | "STORE_DAMAGED"
  | "SESSION_DAMAGED"
  | "STORE_FOREIGN"
  | "STORE_NEWER"
  | "STORE_READ_ONLY"
  | "STORE_FULL"
  | "STORE_BUSY"
  | "STORE_GONE"
  | "STORE_IN_USE"
  | "STORE_CLOSED"
  | "STORE_KEY"
  /** Another replica owns the conversation now. */
  | "LEASE_LOST";

/** A store that cannot be read or written; the message says which, and what to do. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;
  /** What the reader should do. */
  readonly fix: string;
  constructor(code: StoreErrorCode, what: string, fix: string, cause?: unknown) {
    super(`${what}. ${fix}`, cause === undefined ? {} : { cause });
    this.name = "StoreError";
    this.code = code;
    this.fix = fix;
  }
}

/** The same port, with its rejections explained. */
export function explained<T extends object>(port: T, explain: (error: unknown) => unknown): T {
  return wrapMethods(port, async (call) => {
    try {
      return await call();
    } catch (error) {
      throw await explain(error);
    }
  });
}

/** The same port, with every call going through `wrap`. All methods of a port return promises. */
export function wrapMethods<T extends object>(port: T, wrap: (call: () => unknown) => Promise<unknown>): T {
  const methods = Object.entries(port).map(([name, method]: [string, unknown]) => [
    name,
    typeof method === "function" ? (...input: readonly unknown[]) => wrap(() => method(...input)) : method,
  ]);
  return Object.fromEntries(methods) as T;
}

/** A field of the error, whatever was thrown. */
export function fieldOf(error: unknown, field: "code" | "errcode"): unknown {
  return typeof error === "object" && error !== null ? (error as Record<string, unknown>)[field] : undefined;
}

/** A unique key already exists (SQLite's extended result codes, PostgreSQL's SQLSTATE). */
export function isConflict(error: unknown): boolean {
  const code = fieldOf(error, "errcode");
  return code === 1555 || code === 2067 || fieldOf(error, "code") === "23505";
}

/** The statement names a table that the database does not have. */
export function isMissingTable(error: unknown): boolean {
  const absent = fieldOf(error, "errcode") === 1 && error instanceof Error && error.message.includes("no such table");
  return absent || fieldOf(error, "code") === "42P01";
}

export function damagedSession(id: string, why: unknown): StoreError {
  const fix = "Restore the store from a backup, or start a new session.";
  return new StoreError("SESSION_DAMAGED", `The saved state of session ${id} is damaged`, fix, why);
}

/** The store could be read, but the state of this session could not be decoded. */
export function isDamagedSession(error: unknown): boolean {
  return error instanceof StoreError && error.code === "SESSION_DAMAGED";
}

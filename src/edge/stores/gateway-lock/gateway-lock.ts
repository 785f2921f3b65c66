import { setTimeout as sleep } from "node:timers/promises";
import { errorText } from "../../../base/kernel/error-text.ts";
import type { StorePlace } from "../sql/open-database.ts";
import { StoreError, wrapMethods } from "../sql/store-error.ts";
import type { RunningGateway } from "./running-gateway.ts";

/** How long a gateway that was just killed may still hold the lock. */
const PATIENCE_MS = 3_000;
const CHECK_MS = 5_000;
const RETRY_MS = 250;

/** The exclusive right to be the gateway of a store. */
export type GatewayLock = {
  /**
   * Throws a `StoreError` while the lock is not held: unavailable while it is being taken again, in use once it is
   * lost.
   */
  assertHeld(): void;
  /** Resolves if another gateway has taken the store: then this one must stop. Never rejects. */
  readonly lost: Promise<StoreError>;
  /** Updates the description that a second gateway shows. */
  describe(holder: RunningGateway): Promise<void>;
  release(): Promise<void>;
};

type GatewayLockOptions = {
  readonly self: RunningGateway;
  readonly report: (line: string) => void;
  readonly patienceMs?: number;
  readonly checkMs?: number;
};

/** Gateways on PostgreSQL share their store and take no lock. */
type FilePlace = Extract<StorePlace, { readonly kind: "sqlite" }>;

/** Takes the lock of a store. Rejects with `STORE_IN_USE`, naming the other gateway, if one runs there already. */
export async function takeGatewayLock(place: FilePlace, options: GatewayLockOptions): Promise<GatewayLock> {
  const driver = (await import("./sqlite-lock.ts")).sqliteLock(place.file);
  try {
    await takeFirst(driver, options);
    await driver.writeHolder(options.self);
  } catch (error) {
    await driver.release();
    throw await explained(place, error);
  }
  return watchLock(driver, options);
}

async function takeFirst(driver: LockDriver, { self, patienceMs = PATIENCE_MS }: GatewayLockOptions): Promise<void> {
  const until = performance.now() + patienceMs;
  while (!(await driver.take())) {
    if (performance.now() >= until) throw inUse(await driver.readHolder(), self);
    await sleep(RETRY_MS);
  }
}

/** Watches a lock that is held. A lost lock is taken again, unless another gateway has had it meanwhile. */
function watchLock(driver: LockDriver, options: GatewayLockOptions): GatewayLock {
  const { report, checkMs = CHECK_MS } = options;
  const { promise: lost, resolve: lose } = Promise.withResolvers<StoreError>();
  let { self } = options;
  let state: { kind: "held" | "retaking" | "released" } | { kind: "lost"; error: StoreError } = { kind: "held" };
  let retaking: Promise<void> | undefined;

  /** False if it has to be tried again. */
  async function tryAgain(): Promise<boolean> {
    const taken = await driver.take();
    const holder = await driver.readHolder();
    // Described as ours but not free: the server has not noticed yet that our old connection is gone.
    if (holder?.id === self.id) return taken;
    if (taken && holder === undefined) await driver.writeHolder(self);
    else state = { kind: "lost", error: inUse(holder, self) };
    return true;
  }

  async function retake(why: string): Promise<void> {
    report(`the gateway lost its lock on the store (${why}); no turn starts until it has the lock again`);
    while (state.kind === "retaking") {
      const done = await tryAgain().catch(() => false);
      if (done) break;
      await sleep(RETRY_MS, undefined, { ref: false });
    }
    if (state.kind === "retaking") {
      state = { kind: "held" };
      report("the gateway has its lock on the store again");
    } else if (state.kind === "lost") {
      await driver.release();
      lose(state.error);
    }
  }

  function onLost(why: string): void {
    if (state.kind !== "held") return;
    state = { kind: "retaking" };
    retaking = retake(why);
  }

  driver.onLost(() => onLost("the connection ended"));
  let checking = false;
  const timer = setInterval(async () => {
    if (checking || state.kind !== "held") return;
    checking = true;
    const fault = await driver.isHeld().then(
      (isHeld) => (isHeld ? undefined : "the lock no longer exists"),
      (error: unknown) => errorText(error),
    );
    checking = false;
    if (fault !== undefined) onLost(fault);
  }, checkMs);
  timer.unref();

  return {
    lost,
    assertHeld() {
      switch (state.kind) {
        case "held":
        case "released":
          return;
        case "retaking":
          throw new StoreError("STORE_UNAVAILABLE", "The gateway lost its lock on the store", "Try again in a moment.");
        case "lost":
          throw state.error;
      }
    },
    async describe(next) {
      self = next;
      await driver.writeHolder(next);
    },
    async release() {
      clearInterval(timer);
      if (state.kind !== "lost") state = { kind: "released" };
      await retaking;
      await driver.release();
    },
  };
}

/** The same port, but every call rejects while the lock is not held. */
export function whileHeld<T extends object>(port: T, { assertHeld }: Pick<GatewayLock, "assertHeld">): T {
  return wrapMethods(port, async (call) => {
    assertHeld();
    return call();
  });
}

async function explained({ file }: FilePlace, error: unknown): Promise<unknown> {
  return (await import("../sql/dialects/sqlite-errors.ts")).explainSqlite(file)(error);
}

function inUse(holder: RunningGateway | undefined, { host, store }: RunningGateway): StoreError {
  if (holder === undefined)
    return new StoreError(
      "STORE_IN_USE",
      `Another gateway already uses the store ${store}`,
      "Stop that one first: a store has one gateway at a time.",
    );
  const { pid, since, url } = holder;
  const where = holder.host === host ? "" : ` on ${holder.host}`;
  const address = url === undefined ? "it is just starting" : `it answers at ${url}`;
  return new StoreError(
    "STORE_IN_USE",
    `Another gateway already uses the store ${store}: process ${pid} on ${holder.host}, since ${new Date(since).toISOString()}, ${address}`,
    `Use that one (conduct gateway login), or stop it first${where}: kill ${pid}`,
  );
}

/** A lock on one kind of store. The operating system or the server frees it when the process that holds it is gone. */
export type LockDriver = {
  /** False if another process holds it. Rejects if that is unknown. */
  take(): Promise<boolean>;
  /** Is it certain that this process still holds it? Rejects or returns false if not. */
  isHeld(): Promise<boolean>;
  /** Calls back as soon as the driver notices that the lock is gone. */
  onLost(lost: () => void): void;
  /** The holder's own description, or that of an earlier holder. */
  readHolder(): Promise<RunningGateway | undefined>;
  /** Only while it is held. */
  writeHolder(holder: RunningGateway): Promise<void>;
  /** Releases the lock, whether or not it is held. Never rejects. */
  release(): Promise<void>;
};

import { randomUUID } from "node:crypto";
import { errorText } from "../../../base/kernel/error-text.ts";
import type { Clock } from "../../../base/ports/clock.ts";
import type { ReplicaInfo, ReplicaRow, ReplicasStore } from "../../../base/ports/stores/hosting/replicas.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import type { FilesOf, GiveBack, Hold, Ownership } from "./ownership.ts";

const BEAT_MS = 1_000;
/** A replica without a heartbeat for so long is dead. An event loop that stalls for seconds must not count as dead. */
const DEAD_MS = 7_000;
/** A process that did nothing for so long was frozen, and may have been declared dead. */
const FROZEN_MS = 5_000;
const WATCH_MS = 500;

/** What a replica does for others. */
export type ReplicaWork = {
  /** Performs an act on a conversation; `undefined` if another replica owns it. */
  readonly act: (conversation: string, act: JsonObject) => Promise<{ readonly value: Json } | undefined>;
  /** Receives news that another replica sent to all. */
  readonly hear: (news: JsonObject) => void;
  /** Takes conversations that nobody owns. Called every second. */
  readonly lookForWork: () => Promise<void>;
  /** Others have declared this replica dead and taken over its work: everything in memory is outdated. */
  readonly dropAll: () => Promise<void>;
  /** This process was frozen: ends the running turns at once, because another replica may have taken them over. */
  readonly wake: () => void;
  /** The number of turns that run here. */
  readonly running: () => number;
  /** The number of the newest live message from here. */
  readonly sent: () => number;
  /** Called with every heartbeat, with all replicas that are alive. */
  readonly look: (others: readonly ReplicaRow[]) => void;
};

export type ReplicaOptions = {
  readonly store: ReplicasStore;
  readonly clock: Clock;
  readonly info: Omit<ReplicaInfo, "id">;
  readonly report: (line: string) => void;
};

type Asked = { readonly replica: string; settle(reply: { readonly value: Json } | undefined, error?: string): void };

/**
 * This process among the gateways of one store: its heartbeat, the leases that it holds, and the messages between
 * replicas. It also frees the work of dead replicas.
 */
export class Replica implements Ownership {
  readonly isShared = true;
  readonly #options: ReplicaOptions;
  #info: ReplicaInfo;
  #work: ReplicaWork | undefined;
  #draining = false;
  #closed = false;
  readonly #holds = new Map<string, number>();
  /** Grows when others have taken over everything: holds from before then count no more. */
  #generation = 0;
  /** The last fence of each conversation that was held here. */
  readonly #fences = new Map<string, number>();
  /** Agents and users whose files are here. */
  readonly #placed = new Set<string>();
  /** Leases that could not be freed because the store was away. */
  readonly #owed = new Set<string>();
  readonly #chains = new Map<string, Promise<unknown>>();
  readonly #asked = new Map<string, Asked>();
  #others: readonly ReplicaRow[] = [];
  /** Since when every heartbeat has succeeded; nobody is declared dead before that was long enough. */
  #healthySince: number | undefined;
  /** The last reported failure of a heartbeat, so that an outage is reported once. */
  #fault: string | undefined;
  #lag = 0;
  #leaseLosses = 0;
  #timer: NodeJS.Timeout | undefined;
  #watching: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;
  #receiving: Promise<void> = Promise.resolve();
  #stopListening: () => Promise<void> = async () => undefined;

  private constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#info = { ...options.info, id: randomUUID() };
  }

  /** Joins the replicas of the store. Nothing is taken over before `begin`. */
  static async join(options: ReplicaOptions): Promise<Replica> {
    const replica = new Replica(options);
    await options.store.join(replica.#info);
    // The start may take longer than a replica may be silent.
    replica.#beatLater();
    return replica;
  }

  get id(): string {
    return this.#info.id;
  }

  /** Whether another replica was alive at the last heartbeat. */
  get hasOthers(): boolean {
    return this.#others.length > 0;
  }

  get isDraining(): boolean {
    return this.#draining;
  }

  /** `lagMs`: how long the last heartbeat took. */
  get figures(): { readonly lagMs: number; readonly leases: number; readonly leaseLosses: number } {
    return { lagMs: this.#lag, leases: this.#holds.size, leaseLosses: this.#leaseLosses };
  }

  isAlive(replica: string): boolean {
    return replica === this.id || this.#others.some(({ id }) => id === replica);
  }

  async begin(work: ReplicaWork): Promise<void> {
    this.#work = work;
    this.#watching = watchForFreezes(this.#options.clock, work.wake);
    const { store } = this.#options;
    this.#stopListening = await store.listen({
      onMail: () => this.#receive(),
      onLive: (news) => work.hear(news),
    });
    await this.#beat();
    // Others send live updates only while they know of somebody.
    await this.tellOthers({ kind: "hello" });
  }

  describe(url: string): void {
    this.#info = { ...this.#info, url };
  }

  /** Takes no more conversations. */
  async drain(): Promise<void> {
    this.#draining = true;
    await this.#beat();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#watching);
    await this.#beating;
    await this.#stopListening();
    for (const { settle } of this.#asked.values()) settle(undefined, "the gateway is closing");
    await this.#options.store.leave().catch((error: unknown) => this.#options.report(`replica: ${errorText(error)}`));
  }

  take(conversation: string, near?: FilesOf): Promise<Hold> {
    return this.#alone(conversation, async (): Promise<Hold> => {
      const holds = this.#holds.get(conversation);
      if (holds !== undefined) {
        this.#holds.set(conversation, holds + 1);
        return { kind: "mine", isUnbroken: true, give: this.#giveBack(conversation) };
      }
      const taken = await this.#options.store.take(conversation);
      if (taken.kind === "theirs") return taken;
      // Only for a free lease: a message has to reach the owner, who runs the messages in order.
      const nearer = near && (await this.#nearer(near));
      if (nearer !== undefined) {
        await this.#free(conversation);
        return { kind: "theirs", replica: nearer };
      }
      const before = this.#fences.get(conversation);
      this.#fences.set(conversation, taken.fence);
      this.#holds.set(conversation, 1);
      this.#owed.delete(conversation);
      const isUnbroken = before === taken.fence || before === taken.fence - 1;
      return { kind: "mine", isUnbroken, give: this.#giveBack(conversation) };
    });
  }

  /** The replica on another machine that has the files, if it is alive. */
  async #nearer(near: FilesOf): Promise<string | undefined> {
    const { store, report } = this.#options;
    const { files: own } = this.#info;
    const key = JSON.stringify([near.agent, near.user]);
    if (own === undefined || this.#placed.has(key)) return undefined;
    const others = this.#others.filter(({ files, draining }) => files !== undefined && files !== own && !draining);
    const places = others.flatMap(({ files }) => files ?? []);
    const { files, moved } = await store.placeFiles(near, own, places);
    if (files !== own) return others.find((other) => other.files === files)?.id;
    this.#placed.add(key);
    if (moved !== undefined)
      report(
        `The gateway that has the files of agent '${near.agent}' for user '${near.user}' is not running. This gateway continues with its own folder.`,
      );
    return undefined;
  }

  keep(conversation: string): GiveBack {
    const holds = this.#holds.get(conversation);
    if (holds === undefined) return async () => undefined;
    this.#holds.set(conversation, holds + 1);
    return this.#giveBack(conversation);
  }

  #giveBack(conversation: string): GiveBack {
    const generation = this.#generation;
    return () => this.#give(conversation, generation);
  }

  #give(conversation: string, generation: number): Promise<void> {
    return this.#alone(conversation, async () => {
      const holds = this.#holds.get(conversation);
      if (holds === undefined || generation !== this.#generation) return;
      if (holds > 1) {
        this.#holds.set(conversation, holds - 1);
        return;
      }
      this.#holds.delete(conversation);
      await this.#free(conversation);
    });
  }

  async ask(replica: string, conversation: string, act: JsonObject): Promise<{ readonly value: Json } | undefined> {
    const ask = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<{ readonly value: Json } | undefined>();
    this.#asked.set(ask, {
      replica,
      settle: (reply, error) => (error === undefined ? resolve(reply) : reject(new Error(error))),
    });
    try {
      await this.#options.store.send(replica, { kind: "ask", ask, from: this.id, conversation, act });
      return await promise;
    } finally {
      this.#asked.delete(ask);
    }
  }

  /** If the message is lost with its receiver, the turn waits until somebody looks for work. */
  async post(replica: string, conversation: string, act: JsonObject): Promise<void> {
    await this.#options.store
      .send(replica, { kind: "ask", ask: "", from: this.id, conversation, act })
      .catch((error: unknown) => this.#options.report(`replica: ${errorText(error)}`));
  }

  /** Sends news to all other replicas; they arrive unless their receiver dies. */
  tellOthers(news: JsonObject): Promise<void> {
    return this.tell("others", news);
  }

  /** Sends news to one replica. */
  async tell(replica: string, news: JsonObject): Promise<void> {
    await this.#options.store
      .send(replica, { kind: "news", news })
      .catch((error: unknown) => this.#options.report(`replica: ${errorText(error)}`));
  }

  #alone<T>(conversation: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#chains.get(conversation) ?? Promise.resolve()).then(work);
    const settled = done.catch(() => undefined);
    this.#chains.set(conversation, settled);
    void settled.then(() => {
      if (this.#chains.get(conversation) === settled) this.#chains.delete(conversation);
    });
    return done;
  }

  async #free(conversation: string): Promise<void> {
    try {
      await this.#options.store.give(conversation);
      this.#owed.delete(conversation);
    } catch {
      this.#owed.add(conversation);
    }
  }

  #beatLater(): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#beat(), BEAT_MS);
    this.#timer.unref();
  }

  /** One heartbeat, and what follows from it. Never rejects. */
  #beat(): Promise<void> {
    this.#beating ??= this.#beatOnce()
      .then(
        () => {
          this.#fault = undefined;
        },
        (error: unknown) => {
          // The store is away. Others cannot reach it either, or they take over.
          this.#healthySince = undefined;
          const fault = errorText(error);
          if (fault !== this.#fault && !this.#closed) this.#options.report(`replica: no heartbeat: ${fault}`);
          this.#fault = fault;
        },
      )
      .finally(() => {
        this.#beating = undefined;
        this.#beatLater();
      });
    return this.#beating;
  }

  async #beatOnce(): Promise<void> {
    const { store, clock, report } = this.#options;
    const began = clock.monotonic();
    const running = this.#work?.running() ?? 0;
    this.#info = { ...this.#info, sent: this.#work?.sent() };
    if (!(await store.beat(this.#info, { draining: this.#draining, running }))) await this.#joinAgain();
    this.#lag = clock.monotonic() - began;
    this.#healthySince ??= began;
    this.#others = (await store.list()).filter(({ id, silentMs }) => id !== this.id && silentMs < DEAD_MS);
    this.#work?.look(this.#others);
    for (const { replica, settle } of this.#asked.values()) if (!this.isAlive(replica)) settle(undefined);
    for (const conversation of [...this.#owed])
      await this.#alone(conversation, async () => {
        if (!this.#holds.has(conversation)) await this.#free(conversation);
      });
    await store.freeUnheld(() => [...this.#holds.keys(), ...this.#chains.keys()]);
    // After an outage of the store everybody looks dead until they had the time for a heartbeat.
    if (clock.monotonic() - this.#healthySince >= DEAD_MS)
      // A lock of the dead replica may be in the way; the next heartbeat tries again.
      for (const dead of await store.reap(DEAD_MS).catch(() => []))
        report(`replica ${dead} does not answer; this gateway has ended its leases, so that others take over its work`);
    this.#receive();
    if (!this.#draining) await this.#work?.lookForWork();
  }

  async #joinAgain(): Promise<void> {
    const { store, report } = this.#options;
    report("this gateway did not answer for a while, so other replicas have taken over its conversations");
    this.#leaseLosses += this.#holds.size;
    this.#generation += 1;
    for (const one of [this.#holds, this.#fences, this.#owed, this.#placed]) one.clear();
    this.#info = { ...this.#info, id: randomUUID() };
    await store.join(this.#info);
    await this.#work?.dropAll();
  }

  /** Messages are fetched one batch after another; each is handled on its own. */
  #receive(): void {
    const { store, report } = this.#options;
    this.#receiving = this.#receiving
      .then(async () => {
        for (const message of this.#closed ? [] : await store.receive()) this.#handle(message);
      })
      .catch((error: unknown) => {
        // The next heartbeat fetches them.
        if (!this.#closed) report(`replica: ${errorText(error)}`);
      });
  }

  #handle(message: JsonObject): void {
    const { kind, ask, from, conversation, act, news, value, error } = message;
    if (kind === "news") {
      const { kind: what } = news as JsonObject;
      if (what === "hello") void this.#beat();
      else this.#work?.hear(news as JsonObject);
    } else if (kind === "ask") void this.#answer(String(ask), String(from), String(conversation), act as JsonObject);
    else if (kind === "reply") {
      const reply = value === undefined ? undefined : { value };
      this.#asked.get(String(ask))?.settle(reply, error === undefined ? undefined : String(error));
    } else if (kind === "numbered" || kind === "updates" || kind === "limits") this.#work?.hear(message);
  }

  async #answer(ask: string, from: string, conversation: string, act: JsonObject): Promise<void> {
    const reply = await this.#work?.act(conversation, act).catch((error: unknown) => ({ error: errorText(error) }));
    if (ask === "") return;
    await this.#options.store
      .send(from, { kind: "reply", ask, ...reply })
      .catch((error: unknown) => this.#options.report(`replica: ${errorText(error)}`));
  }
}

/** Timers fire before anything else in a process that wakes up, so nothing is sent before this has been noticed. */
function watchForFreezes(clock: Clock, onWake: () => void): NodeJS.Timeout {
  let last = clock.monotonic();
  const look = () => {
    const now = clock.monotonic();
    if (now - last > FROZEN_MS) onWake();
    last = now;
  };
  return setInterval(look, WATCH_MS).unref();
}

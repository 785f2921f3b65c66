import { type ConductClient, conductClient } from "../src/apps/gateway/client.ts";
import type { Watched } from "./gateway-watch.ts";

/** Messages sent in turn: a plain answer, calls, an own note, and a denied release that is then corrected. */
export const SAID = [
  "hello",
  "read README.md",
  "remember that the dock is gate 9",
  "what do you remember about the dock?",
  "deploy it",
] as const;
const GOOD = new Set(["complete", "answered"]);

export type Load = {
  /** From the first message to the last answer. */
  readonly seconds: number;
  readonly requests: number;
  readonly turns: number;
  readonly events: number;
  /** Microseconds from sending a message to the turn's end on the stream. */
  readonly turnTimes: readonly number[];
  /** The same by message, because some take one model request and some take many. */
  readonly timesBySaid: ReadonlyMap<string, readonly number[]>;
  /** Microseconds until the message was accepted. */
  readonly postTimes: readonly number[];
  readonly errors: readonly string[];
};

/** Simulates a person: one session, an open stream, and one message after the other until the time is over. */
export class Person implements Watched {
  readonly #client: ConductClient;
  readonly #end = new AbortController();
  readonly #waiting = new Map<string, (status: string) => void>();
  /** Turn ends that arrived before the response with the turn's id. */
  readonly #early = new Map<string, string>();
  readonly #connected = Promise.withResolvers<void>();
  #session = "";
  #following: Promise<void> | undefined;
  #waitsFor: { readonly what: string; readonly since: number } | undefined;
  requests = 0;
  events = 0;
  readonly turns: { readonly said: string; readonly time: number }[] = [];
  readonly postTimes: number[] = [];
  readonly errors: string[] = [];

  constructor(url: string, token: string) {
    const listening = async (...asked: Parameters<typeof fetch>): Promise<Response> => {
      const response = await fetch(...asked);
      if (String(asked[0]).endsWith("/stream")) this.#connected.resolve();
      return response;
    };
    this.#client = conductClient({ url, token, fetch: listening });
  }

  /** Resets the counts; errors stay. */
  forget(): void {
    this.requests = 0;
    this.events = 0;
    this.turns.length = 0;
    this.postTimes.length = 0;
  }

  /** Number of requests, events and turns received. */
  get done(): number {
    return this.requests + this.events + this.turns.length;
  }

  get waitsFor(): string | undefined {
    if (this.#waitsFor === undefined) return undefined;
    const { what, since } = this.#waitsFor;
    return `session ${this.#session || "(none yet)"} waits for ${what}, since ${Math.round((performance.now() - since) / 1_000)} s`;
  }

  async open(): Promise<void> {
    this.requests += 1;
    const made = this.#client.call("POST /api/sessions", { body: { agent: "demo" } });
    this.#session = (await this.#wait("its session", made)).id;
  }

  /** Resolves when the stream is connected. */
  async follow(): Promise<void> {
    this.requests += 1;
    this.#following = this.#follow().catch((error: unknown) => this.#failed(`the stream: ${String(error)}`));
    await this.#wait("its stream", Promise.race([this.#connected.promise, this.#following]));
  }

  async talk(until: number): Promise<void> {
    for (let at = 0; performance.now() < until; at++) {
      const text = SAID[at % SAID.length] ?? "hello";
      await this.say(text).catch((error: unknown) => this.#failed(`'${text}': ${String(error)}`));
    }
  }

  async say(text: string): Promise<void> {
    const began = performance.now();
    this.requests += 1;
    const sent = this.#client.call("POST /api/sessions/{id}/messages", {
      params: { id: this.#session },
      body: { text },
    });
    const { id } = await this.#wait(`'${text}' to be taken`, sent);
    this.postTimes.push((performance.now() - began) * 1_000);
    const status = this.#early.get(id) ?? (await this.#wait(`the end of turn ${id}, '${text}'`, this.#ended(id)));
    this.#early.delete(id);
    this.turns.push({ said: text, time: (performance.now() - began) * 1_000 });
    if (!GOOD.has(status)) this.#failed(`'${text}' ended ${status}`);
  }

  #ended(turn: string): Promise<string> {
    return new Promise((resolve) => this.#waiting.set(turn, resolve));
  }

  async #wait<T>(what: string, coming: Promise<T>): Promise<T> {
    this.#waitsFor = { what, since: performance.now() };
    try {
      return await coming;
    } finally {
      this.#waitsFor = undefined;
    }
  }

  /** Reads what the console shows of a session. */
  async look(): Promise<void> {
    const given = { params: { id: this.#session } };
    this.requests += 3;
    await this.#wait("the sessions", this.#client.call("GET /api/sessions", { query: { limit: 20 } }));
    await this.#wait("its session", this.#client.call("GET /api/sessions/{id}", given));
    await this.#wait("its events", this.#client.call("GET /api/sessions/{id}/events", given));
  }

  /** Deletes the session. */
  async remove(): Promise<void> {
    this.requests += 1;
    const given = { params: { id: this.#session } };
    await this.#wait("the deletion", this.#client.call("DELETE /api/sessions/{id}", given));
  }

  async leave(): Promise<void> {
    this.#end.abort();
    if (this.#following !== undefined) await this.#wait("its stream to end", this.#following);
  }

  async #follow(): Promise<void> {
    const given = { params: { id: this.#session } };
    for await (const { event, data } of this.#client.stream("GET /api/sessions/{id}/stream", given, this.#end.signal)) {
      this.events += 1;
      if (event !== "turn") continue;
      const { turn } = data as { readonly turn: { readonly id: string; readonly status: string } };
      if (turn.status === "queued" || turn.status === "running") continue;
      const hears = this.#waiting.get(turn.id);
      this.#waiting.delete(turn.id);
      if (hears === undefined) this.#early.set(turn.id, turn.status);
      else hears(turn.status);
    }
    this.#failed("the stream ended");
  }

  #failed(what: string): void {
    if (!this.#end.signal.aborted) this.errors.push(what);
  }
}

/** Runs all people at once, each as fast as they get answers. Earlier activity does not count. */
export async function load(people: readonly Person[], seconds: number): Promise<Load> {
  for (const person of people) person.forget();
  const began = performance.now();
  await Promise.all(people.map((person) => person.talk(began + seconds * 1_000)));
  const turns = people.flatMap((person) => person.turns);
  const bySaid = Map.groupBy(turns, ({ said }) => said);
  return {
    seconds: (performance.now() - began) / 1_000,
    requests: people.reduce((sum, person) => sum + person.requests, 0),
    turns: turns.length,
    events: people.reduce((sum, person) => sum + person.events, 0),
    turnTimes: turns.map(({ time }) => time),
    timesBySaid: new Map([...bySaid].map(([said, some]) => [said, some.map(({ time }) => time)])),
    postTimes: people.flatMap((person) => person.postTimes),
    errors: people.flatMap((person) => person.errors),
  };
}

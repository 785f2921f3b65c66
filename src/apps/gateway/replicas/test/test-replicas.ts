import { randomBytes } from "node:crypto";
import { homeStores } from "../../../../edge/stores/home-stores.ts";
import type { HostedEnd, HostedOptions, HostedRuntime } from "../../runtimes/hosted.ts";
import { type HttpWorldOptions, httpWorld } from "../../test/test-http.ts";

/** A turn that runs in the scripted runtime, until the test ends it. */
export type ScriptedTurn = {
  readonly replica: string;
  readonly session: HostedOptions["session"];
  readonly text: string;
  readonly keep: HostedOptions["keep"];
  readonly steered: string[];
  say(delta: string): void;
  end(end?: Partial<HostedEnd>): void;
};

/** A model of which the test decides when it answers. Texts that begin with "hold" wait for the test; others do not. */
function scriptedTurns() {
  const log: string[] = [];
  const held: ScriptedTurn[] = [];
  const runtime = (replica: string): HostedRuntime => ({
    name: "scripted",
    async open({ session, keep }) {
      let current: ScriptedTurn | undefined;
      return {
        async prompt({ text }, { signal, onText }) {
          log.push(`${replica} begins ${text}`);
          const { promise, resolve } = Promise.withResolvers<HostedEnd>();
          const steered: string[] = [];
          const end = (given: Partial<HostedEnd> = {}) =>
            resolve({ status: "complete", text: `did ${text}`, notes: [], ...given });
          current = { replica, session, text, keep, steered, say: onText, end };
          signal.addEventListener("abort", () => end({ status: "cancelled", text: "" }));
          if (text.startsWith("hold")) held.push(current);
          else end();
          const done = await promise;
          current = undefined;
          log.push(`${replica} ends ${text}`);
          return done;
        },
        steer({ text }) {
          current?.steered.push(text);
          return current !== undefined;
        },
        close: async () => undefined,
      };
    },
  });
  return { log, held, runtime };
}

/** Gateways on one PostgreSQL, each with its own home and connections, as on machines of their own. */
export async function replicaWorld(url: string, names: readonly string[], options: HttpWorldOptions = {}) {
  const env = { ...process.env, CONDUCT_DATA_KEY: randomBytes(32).toString("base64") };
  const turns = scriptedTurns();
  const open = async (name: string) => {
    const stores = homeStores({ kind: "postgres", url }, env);
    const paused = { now: false };
    // A process that is stopped sends no heartbeat.
    const replicas: typeof stores.replicas = {
      ...stores.replicas,
      async beat(...given) {
        while (paused.now) await new Promise((resolve) => setTimeout(resolve, 50));
        return stores.replicas.beat(...given);
      },
    };
    const world = await httpWorld({
      runtimeOf: () => turns.runtime(name),
      graceMs: 100,
      ...options,
      stores,
      replicas,
      results: stores.results,
    });
    return { ...world, name, stores, paused, world, gateway: world.gateway };
  };
  const all = await Promise.all(names.map(open));
  const close = async () => {
    for (const { world, stores } of all) {
      await world.close();
      await stores.close();
    }
  };
  return { all, turns, close };
}

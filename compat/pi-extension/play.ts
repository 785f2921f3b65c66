import { join } from "node:path";
import { afterEach } from "vitest";
import type { ConductEvent } from "../../src/base/words/event.ts";
import type { Agent } from "../../src/base/words/hosting/agent.ts";
import {
  type ModelRequest,
  type ModelServer,
  type Script,
  type ScriptedCall,
  startModelServer,
} from "../../src/testing/test/model-server/index.ts";
import { type Daemon, type DaemonOptions, startDaemon } from "./daemon.ts";
import { newPlace, type PiHome, type PiPlace, readFiles, writeFiles, writePiHome } from "./place.ts";
import { type Dialogs, type PiProcess, startPi } from "./rpc.ts";
import { answerSummary } from "./script.ts";

export type Scene = {
  readonly place: PiPlace;
  readonly server: ModelServer;
  readonly files: () => ReadonlyMap<string, string>;
  /** Starts the daemon, again after one was closed. */
  daemon(agent: Agent, options?: DaemonOptions): Promise<Daemon>;
  pi(args?: readonly string[], dialogs?: Dialogs): PiProcess;
};

export type SceneOptions = Pick<PiHome, "others"> &
  Partial<Pick<PiHome, "extension" | "window" | "settings">> & { readonly files?: { readonly [path: string]: string } };

/** A place, a scripted model, and what is started there; all of it is gone after each test of the file that calls this. */
export function useScenes(): (script: Script, options?: SceneOptions) => Promise<Scene> {
  const endings: (() => Promise<unknown> | unknown)[] = [];
  afterEach(async () => {
    for (const end of endings.splice(0).reverse()) await end();
  });
  return async (script, { files, window = 200_000, ...home } = {}) => {
    const place = newPlace();
    endings.push(() => place.remove());
    const server = await startModelServer({ script, ignore: answerSummary });
    endings.push(() => server.close());
    writeFiles(place.workspace, files);
    writePiHome(place, { modelUrl: server.url, api: "anthropic-messages", window, ...home });
    return {
      place,
      server,
      files: () => readFiles(place.workspace),
      async daemon(agent, options) {
        const daemon = await startDaemon(place, agent, options);
        endings.push(() => daemon.close());
        return daemon;
      },
      pi(args = [], dialogs) {
        const pi = startPi(place, args, dialogs);
        endings.push(() => pi.close());
        return pi;
      },
    };
  };
}

/** What the model was given for a call, in the first request that has it. */
export function given(requests: readonly ModelRequest[], id: string): string {
  const result = requests.flatMap(({ results }) => results).find(({ callId }) => callId === id);
  return result?.text ?? `(no result of ${id} in ${requests.length} requests)`;
}

export function eventsOf<T extends ConductEvent["type"]>({ events }: Daemon, type: T) {
  return events.filter((event): event is Extract<ConductEvent, { type: T }> => event.type === type);
}

export function bash(id: string, command: string): ScriptedCall {
  return { id, name: "bash", input: { command } };
}

/** Pi's arguments for these extensions in this order; `conduct` is ours, as it is installed. */
export function inOrder(place: PiPlace, names: readonly string[]): readonly string[] {
  const folder = join(place.user, ".pi", "agent", "extensions");
  return ["--no-extensions", ...names.flatMap((name) => ["--extension", join(folder, `${name}.ts`)])];
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import type { ConductEvent } from "../../../../base/words/event.ts";
import type { Agent } from "../../../../base/words/hosting/agent.ts";
import type { Conduct } from "../../../../engine/session/conduct.ts";
import type { SessionHost } from "../../../../engine/session/session-moments.ts";
import type { SessionOptions } from "../../../../engine/session/session-options.ts";
import { localHost } from "../../../host/opening/local-host.ts";
import { openConductFromEnv } from "../../../host/opening/open-conduct.ts";
import { OpenClawAdapter, type OpenClawOptions } from "../adapter.ts";
import { registerHooks } from "../load.ts";
import type { Hooks, OpenClawApi, SessionEntry } from "../native.ts";

type Told<K extends keyof Hooks> = Parameters<Hooks[K]>;
type Middleware = Parameters<OpenClawApi["registerAgentToolResultMiddleware"]>[0];

/** A stand-in for OpenClaw's gateway, as far as the adapter uses it: it calls hooks and answers requests. */
export class TestGateway {
  readonly adapter: OpenClawAdapter;
  readonly entries = new Map<string, SessionEntry>();
  readonly runs: { sessionKey: string; message: string; deliver: boolean }[] = [];
  readonly #hooks = new Map<string, (...told: never[]) => unknown>();
  #middleware: Middleware = () => undefined;
  #factory: Parameters<OpenClawApi["registerTool"]>[0] = () => null;

  constructor(options: OpenClawOptions, workspace: string) {
    const api: OpenClawApi = {
      source: import.meta.filename,
      runtime: {
        config: { current: () => ({}) },
        agent: {
          resolveAgentWorkspaceDir: () => workspace,
          session: {
            getSessionEntry: ({ sessionKey }) => this.entries.get(sessionKey),
            patchSessionEntry: async ({ sessionKey, update }) => {
              const entry = this.entries.get(sessionKey) ?? {};
              this.entries.set(sessionKey, { ...entry, ...update(entry) });
            },
          },
        },
        subagent: { run: async (params) => this.runs.push(params) },
      },
      on: (name, handler) => this.#hooks.set(name, handler),
      registerTool: (factory) => {
        this.#factory = factory;
      },
      registerAgentToolResultMiddleware: (handler) => {
        this.#middleware = handler;
      },
      registerTextTransforms: () => undefined,
    };
    this.adapter = new OpenClawAdapter(options, () => api.runtime);
    registerHooks(api, this.adapter, { toolNames: [], waitMs: 0 });
  }

  call<K extends keyof Hooks>(name: K, ...told: Told<K>): ReturnType<Hooks[K]> {
    const handler = this.#hooks.get(name) as ((...told: Told<K>) => ReturnType<Hooks[K]>) | undefined;
    if (handler === undefined) throw new Error(`nobody listens for ${name}`);
    return handler(...told);
  }

  result(...told: Parameters<Middleware>) {
    return this.#middleware(...told);
  }

  tools(sessionKey: string) {
    return this.#factory({ sessionKey })?.map(({ name }) => name) ?? [];
  }
}

/** A gateway and a Conduct for each test of the calling file. */
export function useGateway(agent: Agent, session: () => Partial<SessionOptions> = () => ({})) {
  const opened: { conduct: Conduct; root: string }[] = [];
  afterEach(async () => {
    for (const { conduct, root } of opened.splice(0)) {
      await conduct.close();
      rmSync(root, { recursive: true, force: true });
    }
  });
  return {
    events: [] as ConductEvent[],
    open(options: Partial<OpenClawOptions> = {}, wrap: (host: SessionHost) => SessionHost = (host) => host) {
      const root = mkdtempSync(join(tmpdir(), "conduct-oc-unit-"));
      const conduct = openConductFromEnv({ agents: [agent], workspace: root, home: join(root, "home") });
      opened.push({ conduct, root });
      this.events = [];
      conduct.subscribe((event) => {
        this.events.push(event);
      });
      const host = wrap(localHost(conduct, { agent: agent.name, sessionOptions: session }));
      return new TestGateway({ host, ...options }, root);
    },
  };
}

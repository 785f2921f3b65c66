import type { JsonObject } from "../../src/base/words/json.ts";
import type { KitMcpServer, KitRun } from "../../src/testing/kit/driver.ts";
import { type ModelServer, startModelServer } from "../../src/testing/test/model-server/index.ts";
import { Machine } from "../shipped/machine.ts";
import { changeConfig, clawEnv, writeConfig } from "./config.ts";
import { type Gateway, startGateway } from "./gateway.ts";
import { type ClawPlace, newPlace } from "./place.ts";
import { answerSummary } from "./script.ts";

/** How long a call waits for a person: a setting of the plugin. A person needs a few seconds for `conduct approve`. */
const WAIT_SECONDS = 20;
/** A list of plugins excludes the dozen that OpenClaw brings along. */
const PLUGINS = { allow: ["memory-core"], entries: { "memory-core": { enabled: false } } };

/**
 * One OpenClaw for all runs, because it takes ten seconds to start. Each run has a new CONDUCT_HOME at the same path,
 * which `conduct init openclaw` sets up, with a daemon of its own.
 */
export class ShippedClaw {
  readonly place: ClawPlace = newPlace();
  readonly #more: JsonObject;
  /** Edits the configuration after `conduct init`, before OpenClaw reads it. */
  readonly #edit: (place: ClawPlace) => unknown;
  #started: { readonly server: ModelServer; gateway: Gateway } | undefined;
  #servers: { readonly [name: string]: KitMcpServer } = {};
  #runs = 0;

  constructor(more: JsonObject = {}, edit: (place: ClawPlace) => unknown = () => undefined) {
    const { plugins = PLUGINS, ...rest } = more as { plugins?: typeof PLUGINS };
    const entries = { ...plugins.entries, conduct: { config: { waitSeconds: WAIT_SECONDS } } };
    this.#more = { ...rest, plugins: { ...plugins, entries } };
    this.#edit = edit;
  }

  /** The machine of a run, before Conduct is set up on it. */
  machine(run: KitRun): Machine {
    this.#runs += 1;
    return new Machine(run, () => clawEnv(this.place), { root: this.place.root, name: `run${this.#runs}` });
  }

  /** Sets Conduct up for a run, starts OpenClaw if it does not run yet, and opens a conversation. */
  async open(run: KitRun, machine: Machine): Promise<ClawRun> {
    const { mcpServers = this.#servers } = run;
    if (this.#started === undefined) {
      const server = await startModelServer({ script: [], ignore: answerSummary });
      const gateway = await startGateway(this.place, async (port) => {
        writeConfig(this.place, { modelUrl: server.url, port, mcpServers, more: this.#more });
        await machine.setUp("openclaw");
        await this.#edit(this.place);
      });
      this.#started = { server, gateway };
    } else {
      await machine.setUp("openclaw");
      if (mcpServers !== this.#servers) await this.#restart(mcpServers);
    }
    this.#servers = mcpServers;
    const { server } = this.#started;
    const key = `agent:main:run${this.#runs}`;
    const first = server.requests.length;
    const started = this.#started;
    await started.gateway.request("sessions.create", { key, cwd: machine.workspace });
    return {
      key,
      gateway: () => started.gateway,
      server,
      requests: () => server.requests.slice(first),
      restart: () => this.#restart(this.#servers),
    };
  }

  async close(): Promise<void> {
    await this.#started?.gateway.stop();
    await this.#started?.server.close();
    this.#started = undefined;
    this.place.remove();
  }

  /** Ended, and started again on the same state. */
  async #restart(servers: { readonly [name: string]: KitMcpServer }): Promise<void> {
    if (this.#started === undefined) return;
    await this.#started.gateway.stop();
    this.#started.gateway = await startGateway(this.place, (port) => changeConfig(this.place, port, servers));
  }
}

/** A conversation of one run. */
export type ClawRun = {
  readonly key: string;
  readonly server: ModelServer;
  gateway(): Gateway;
  requests(): ModelServer["requests"];
  restart(): Promise<void>;
};

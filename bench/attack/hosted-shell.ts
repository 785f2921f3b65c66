import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ConductClient } from "../../src/apps/gateway/client.ts";
import { type ModelServer, startModelServer } from "../../src/testing/test/model-server/index.ts";
import type { AttackOutcome } from "./attack.ts";
import type { AttackWorld, RunningGateway } from "./world.ts";

/** Set in the gateway's environment. Only the gateway may see it. */
export const SECRET = "key-of-the-provider-4711";

type Call = { readonly name: string; readonly input: { readonly [name: string]: string } };

export const shell = (command: string): Call => ({ name: "shell", input: { command } });
export const readFile = (path: string): Call => ({ name: "read_file", input: { path } });
export const writeFile = (path: string, content: string): Call => ({ name: "write_file", input: { path, content } });

/** A conversation with an agent that does whatever the attacker wants. */
export type Attacker = {
  readonly client: ConductClient;
  readonly session: string;
  /** Working folder of the tools, outside the sandbox. */
  readonly workspace: string;
  /** Makes the agent run these calls in order, and returns their results. */
  run(...calls: readonly Call[]): Promise<readonly string[]>;
};

export type HostedShell = {
  readonly gateway: RunningGateway;
  /** Opens a conversation of a user with the role `user`, who is created if missing. */
  attacker(user?: string): Promise<Attacker>;
};

export function hasBubblewrap(): boolean {
  return spawnSync("bwrap", ["--version"]).status === 0;
}

export const NO_BUBBLEWRAP: AttackOutcome = {
  tried: 0,
  held: 0,
  note: "Not tried: bubblewrap is not installed here, and without it users get no shell.",
};

/** Starts a gateway with one agent that has a shell and file tools, and a model that obeys. */
export async function openHostedShell(
  world: AttackWorld,
  {
    network = [],
    env = {},
  }: { readonly network?: readonly string[]; readonly env?: { readonly [name: string]: string } } = {},
): Promise<HostedShell> {
  const server = await startModelServer({ script: [] });
  world.onClose(() => server.close());
  const gateway = await world.gateway({ config: configOf(server, network), env: { ...env, SCRIPTED_KEY: SECRET } });
  const tokens = new Map<string, string>();
  return {
    gateway,
    async attacker(user = "mallory") {
      const token = tokens.get(user) ?? (await gateway.token("user", user));
      tokens.set(user, token);
      const client = gateway.client(token);
      const { id } = await client.call("POST /api/sessions", { body: { agent: "clerk" } });
      const workspace = join(`${world.home}-work`, "clerk", user);
      const run = (...calls: readonly Call[]) => runCalls(server, client, id, calls);
      return { client, session: id, workspace, run };
    },
  };
}

/** Sends one message per call, because a denied call would end the turn and the attack. */
async function runCalls(
  server: ModelServer,
  client: ConductClient,
  session: string,
  calls: readonly Call[],
): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const [at, call] of calls.entries()) {
    rounds += 1;
    const text = `attack ${rounds} of ${session}`;
    plans.set(text, call);
    server.setScript((request) => {
      // The newest message identifies the turn, because two conversations may run at once.
      const told = JSON.stringify(request.history);
      const [newest, plan] = [...plans].findLast(([one]) => told.includes(one)) ?? [];
      const isNew = newest !== undefined && !told.slice(told.lastIndexOf(newest)).includes('"kind":"result"');
      return isNew && plan !== undefined ? { calls: [plan] } : { text: "done" };
    });
    await client.call("POST /api/sessions/{id}/messages", {
      params: { id: session },
      query: { wait: "true" },
      body: { text },
    });
    const seen = server.requests.findLast(({ raw }) => raw.includes(text));
    answers[at] = seen?.results.at(-1)?.text ?? "no result";
  }
  return answers;
}

const plans = new Map<string, Call>();
let rounds = 0;

function configOf(server: ModelServer, network: readonly string[]): string {
  return `
agents:
  clerk:
    model: own/scripted
    ${network.length === 0 ? "" : `network: ${JSON.stringify(network)}`}
    limits: { window: 120000 }
    tools:
      - { name: shell, args: [command] }
      - { name: read_file, args: [path], paths: { path: read } }
      - { name: write_file, args: [path, content], paths: { path: write } }
      - { name: search, args: [] }
models:
  own/scripted: { baseUrl: "${server.openaiUrl}", api: openai-completions, key: SCRIPTED_KEY }
`;
}

/** Returns a PATH folder with a shell but without bubblewrap. */
export function pathWithoutBubblewrap(world: AttackWorld): string {
  const folder = join(world.root, "bin");
  mkdirSync(folder);
  for (const name of ["sh", "cat"])
    writeFileSync(join(folder, name), `#!/bin/sh\nexec /bin/${name} "$@"\n`, {
      mode: 0o755,
    });
  return folder;
}

/** Combines many attempts into one outcome. `fault` returns what went wrong with an answer, if anything. */
export function outcomeOf(
  answers: readonly (string | undefined)[],
  fault: (answer: string) => boolean,
  note: string,
): AttackOutcome {
  const broken = answers.filter((answer) => answer === undefined || fault(answer));
  const got = broken.map((answer) => (answer ?? "no answer").trim().slice(0, 120)).join(" | ");
  return {
    tried: answers.length,
    held: answers.length - broken.length,
    note: broken.length === 0 ? note : `Got: ${got}`,
  };
}

import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { findPostgres, startPostgres } from "../../../src/edge/stores/test/servers/postgres.ts";
import type { Attack, AttackOutcome } from "../attack.ts";
import type { AttackWorld, RunningGateway } from "../world.ts";

const ROUNDS = 12;
const WRITERS = 16;
const RENAMES_EACH = 6;

/** An operator tries to keep the role while being demoted. */
export const attack: Attack = {
  id: "05-lost-demotion",
  title: "A demoted operator keeps the role or what it gave",
  cases: [
    {
      name: "Flood changes of one's own name while an operator takes the role away (SQLite)",
      run: async (world) => floodNames(await world.gateway()),
    },
    {
      name: "The same flood on PostgreSQL",
      run: async (world) => {
        const store = await postgresStore(world);
        if (store === undefined) return { tried: 0, held: 0, note: "Not tried: PostgreSQL is not installed here." };
        return floodNames(await world.gateway({ env: { CONDUCT_STORE: store } }));
      },
    },
    {
      name: "Two operators take the role from each other at the same time",
      run: async (world) => demoteEachOther(await world.gateway()),
    },
    {
      name: "Send the last byte of a request for the operator role after the demotion",
      run: async (world) => finishLate(await world.gateway()),
    },
    {
      name: "Keep reading another user's conversation over a stream opened as operator",
      run: async (world) => keepListening(await world.gateway()),
    },
  ],
};

async function postgresStore(world: AttackWorld): Promise<string | undefined> {
  const programs = findPostgres();
  if (programs === undefined) return undefined;
  const server = await startPostgres(programs);
  world.onClose(() => server.stop());
  return server.createDatabase();
}

async function floodNames(gateway: RunningGateway): Promise<AttackOutcome> {
  let held = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const id = `mallory-${round}`;
    const mallory = gateway.client(await gateway.token("operator", id));
    const rename = async (writer: number) => {
      for (let at = 0; at < RENAMES_EACH; at++)
        await mallory.call("PATCH /api/users/{id}", { params: { id }, body: { name: `${writer}-${at}` } });
    };
    const flood = Array.from({ length: WRITERS }, (_, writer) => rename(writer));
    await gateway.client().call("PATCH /api/users/{id}", { params: { id }, body: { role: "user" } });
    await Promise.all(flood);
    const { role } = await gateway.client().call("GET /api/users/{id}", { params: { id } });
    if (role === "user") held += 1;
  }
  return { tried: ROUNDS, held, note: `The demotion stayed in force in ${held} of ${ROUNDS} floods.` };
}

async function demoteEachOther(gateway: RunningGateway): Promise<AttackOutcome> {
  let held = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const ids = [`left-${round}`, `right-${round}`] as const;
    const clients = [
      gateway.client(await gateway.token("operator", ids[0])),
      gateway.client(await gateway.token("operator", ids[1])),
    ] as const;
    const demote = (by: 0 | 1) =>
      clients[by]
        .call("PATCH /api/users/{id}", { params: { id: ids[1 - by] ?? "" }, body: { role: "user" } })
        .catch(() => undefined);
    await Promise.all([demote(0), demote(1)]);
    const roles = await Promise.all(
      ids.map(async (id) => (await gateway.client().call("GET /api/users/{id}", { params: { id } })).role),
    );
    if (roles.includes("operator")) held += 1;
  }
  return { tried: ROUNDS, held, note: `One of the two stayed operator in ${held} of ${ROUNDS} rounds.` };
}

async function finishLate(gateway: RunningGateway): Promise<AttackOutcome> {
  const id = "patient";
  const token = await gateway.token("operator", id);
  const body = '{"role":"operator"}';
  const { host, hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const head = [
    `PATCH /api/users/${id} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, -1)}`);
  // By then the gateway has authorised the request and waits for the rest of the body.
  await sleep(500);
  await gateway.client().call("PATCH /api/users/{id}", { params: { id }, body: { role: "user" } });
  socket.write(body.slice(-1));
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  const { role } = await gateway.client().call("GET /api/users/{id}", { params: { id } });
  const [status = ""] = answer.toString().split("\r\n");
  return { tried: 1, held: role === "user" ? 1 : 0, note: `Answered "${status}"; the role is ${role}.` };
}

async function keepListening(gateway: RunningGateway): Promise<AttackOutcome> {
  const victim = gateway.client(await gateway.token("user", "victim"));
  const id = "listener";
  const token = await gateway.token("operator", id);
  const [agent] = (await victim.call("GET /api/agents", {})).agents;
  const { id: session } = await victim.call("POST /api/sessions", { body: { agent: agent?.name ?? "" } });
  const stream = await fetch(`${gateway.url}/api/sessions/${session}/stream`, {
    headers: { authorization: `Bearer ${token}` },
  });
  let heard = "";
  const reading = (async () => {
    for await (const chunk of stream.body ?? []) heard += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  await gateway.client().call("PATCH /api/users/{id}", { params: { id }, body: { role: "user" } });
  await victim.call("POST /api/sessions/{id}/messages", {
    params: { id: session },
    query: { wait: "true" },
    body: { text: "my secret is 4711" },
  });
  await Promise.race([reading, sleep(2_000)]);
  const leaked = heard.includes("4711");
  return { tried: 1, held: leaked ? 0 : 1, note: leaked ? "The stream went on." : "The stream was closed at once." };
}

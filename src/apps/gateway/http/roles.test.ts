import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Role } from "../../../base/words/hosting/user.ts";
import { memoryGatewayStores } from "../test/test-gateway-stores.ts";
import { httpWorld } from "../test/test-http.ts";
import { type RouteSpec, specOf } from "./route.ts";
import { ROUTES } from "./routes/index.ts";

/** Who may use a route: operators, users, viewers; or everybody, without a token. */
type Who = "O" | "OU" | "OV" | "OUV" | "all";

/** Every route that only tells something. A route without a row here or below fails RLS-1. */
const READS: { readonly [route: string]: Who } = {
  "GET /api/health": "all",
  "GET /api/health/live": "all",
  "GET /api/health/ready": "all",
  "GET /api/openapi.json": "all",
  "GET /api/governance": "OV",
  "GET /api/system": "OV",
  "GET /api/me": "OUV",
  "GET /api/sessions": "OUV",
  "GET /api/sessions/{id}": "OUV",
  "GET /api/sessions/{id}/classification": "OUV",
  "GET /api/sessions/{id}/events": "OUV",
  "GET /api/sessions/{id}/steps": "OUV",
  "GET /api/sessions/{id}/stream": "OUV",
  "GET /api/sessions/{id}/results/{handle}": "OUV",
  "GET /api/sessions/{id}/prompts": "OV",
  "GET /api/sessions/{id}/turns/{turn}/prompt": "OV",
  "GET /api/prompts/{event}": "OV",
  "GET /api/approvals": "OU",
  "GET /api/agents": "OUV",
  "GET /api/agents/{name}": "OUV",
  "GET /api/agents/{name}/versions": "O",
  "GET /api/agents/{name}/diff": "O",
  "GET /api/users": "O",
  "GET /api/users/{id}": "OUV",
  "GET /api/users/{id}/keys": "OUV",
  "GET /api/contract": "OV",
  "GET /api/contract/history": "OV",
  "GET /api/contract/diff": "OV",
  "GET /api/candidates": "OV",
  "GET /api/instructions": "OU",
  "GET /api/memory": "OU",
  "GET /api/replay/{id}": "O",
  "GET /api/replay/{id}/stream": "O",
  "GET /api/rules": "OV",
  "GET /api/rules/all": "OV",
  "GET /api/rules/cases": "O",
  "GET /api/rules/standing": "OV",
  "GET /api/adherence": "OV",
  "GET /api/review/runs": "OV",
  "GET /api/review/digest": "OV",
  "GET /api/schedules": "OU",
  "GET /api/schedules/{id}/runs": "OU",
  "GET /api/events": "OV",
  "GET /api/decisions/{id}": "OV",
  "GET /api/decisions/{id}/why": "OV",
  "GET /api/overview": "OV",
  "GET /api/figures": "OV",
  "GET /api/attention": "OV",
  "GET /api/webhooks": "OV",
  "GET /api/webhooks/deliveries": "OV",
  "GET /api/measures": "OV",
  "GET /api/replicas": "OV",
  "GET /api/journal/sessions": "OUV",
  "GET /api/journal/sessions/{id}": "OUV",
  "GET /api/journal/sessions/{id}/feedback": "OUV",
  "GET /api/stream": "OV",
  "GET /api/coverage": "OV",
  "GET /api/switches": "OV",
  "GET /api/metrics": "OV",
};

/** What stands in a path, by the word before it. */
type Ids = { readonly [word: string]: string };
type Write = { readonly who: Who; readonly at?: Ids; readonly query?: string; readonly body?: unknown };
const directive = { type: "keep", text: "answers in one paragraph" };
const madeBy = (tool: string) => ({ id: "c1", tool, input: {} });
const FAR = "2099-01-01T00:00:00Z";

/** Every route that is no GET, with a request that would do something, in an order in which they can be done. `at`: another id than the usual one. */
const WRITES: { readonly [route: string]: Write } = {
  "POST /api/login": { who: "all", body: { code: "cl_wrong" } },
  "POST /api/sessions": { who: "OU", body: { agent: "demo" } },
  "POST /api/sessions/{id}/messages": { who: "OU", query: "?wait=true", body: { text: "hello" } },
  "POST /api/sessions/{id}/classification": { who: "OU" },
  "POST /api/sessions/{id}/cancel": { who: "OU" },
  "POST /api/sessions/{id}/elevation": { who: "O", body: { time: "10m" } },
  "DELETE /api/sessions/{id}/elevation": { who: "O" },
  "PUT /api/sessions/{id}/custom": { who: "O", body: { custom: ["night"] } },
  "DELETE /api/sessions/{id}": { who: "OU" },
  "POST /api/v1/sessions": { who: "OU", body: { agent: "demo", id: "own" } },
  "POST /api/v1/sessions/{id}/message": { who: "OU", at: { sessions: "api" }, body: { text: "hello" } },
  "POST /api/v1/sessions/{id}/prompt": { who: "OU", at: { sessions: "api" }, body: {} },
  "POST /api/v1/sessions/{id}/call": { who: "OU", at: { sessions: "api" }, body: madeBy("verify_context") },
  "POST /api/v1/sessions/{id}/tool": { who: "OU", at: { sessions: "api" }, body: madeBy("verify_context") },
  "POST /api/v1/sessions/{id}/result": {
    who: "OU",
    at: { sessions: "api" },
    body: { id: "c1", outcome: "ok", parts: [] },
  },
  "POST /api/v1/sessions/{id}/stop": { who: "OU", at: { sessions: "api" }, body: {} },
  "DELETE /api/v1/sessions/{id}": { who: "OU", at: { sessions: "api" } },
  "POST /api/approvals/{id}": { who: "OU", body: { answer: "yes" } },
  "PUT /api/agents/{name}": {
    who: "O",
    body: { definition: { soul: "x", rules: [{ id: "own-one", on: "poem" }] }, after: 0, reason: "first" },
  },
  "POST /api/agents/{name}/rollback": { who: "O", body: { to: 1, after: 1, reason: "back" } },
  "POST /api/rules/edit": {
    who: "O",
    body: { agent: "desk", rule: "own-one", edit: { kind: "shadow" }, reason: "trying" },
  },
  "POST /api/users": { who: "O", body: { id: "nina", name: "Nina", role: "operator" } },
  "PATCH /api/users/{id}": { who: "OUV", body: { name: "Another" } },
  "POST /api/users/{id}/login": { who: "O" },
  "POST /api/users/{id}/tokens": { who: "O", body: { label: "ci" } },
  "DELETE /api/users/{id}/keys/{key}": { who: "OUV" },
  "POST /api/contract/directives": { who: "O", body: directive },
  "POST /api/contract/directives/{id}/mark": { who: "O", body: { mark: "harmful" } },
  "PUT /api/contract/directives/{id}/check": { who: "O", body: { check: "length: at most 120 words" } },
  "PUT /api/contract/directives/{id}": { who: "O", body: { ...directive, text: "answers in two paragraphs" } },
  "DELETE /api/contract/directives/{id}": { who: "O", at: { directives: "other" } },
  "POST /api/contract/undo": { who: "O", body: {} },
  "POST /api/candidates/{id}/edit": { who: "O", body: { type: "less", text: "long jokes" } },
  "POST /api/candidates/{id}/snooze": { who: "O", body: { until: FAR } },
  "POST /api/candidates/{id}/promote": { who: "O", body: {} },
  "POST /api/candidates/{id}/reject": {
    who: "O",
    at: { candidates: "sighs" },
    body: {},
  },
  "POST /api/rules/standing": { who: "O", body: { text: "rules:\n  - { id: no-poems, on: poem }\n" } },
  "POST /api/rules/standing/{id}/enforce": { who: "O" },
  "POST /api/rules/standing/{id}/shadow": { who: "O", body: { until: FAR } },
  "DELETE /api/rules/standing/{id}": { who: "O" },
  "POST /api/rules/check": { who: "OV", body: { text: "rules: []\n" } },
  "POST /api/rules/test": { who: "O", body: { text: "rules: []\n", cases: "cases: []\n" } },
  "POST /api/prompt/preview": { who: "OV", body: { agent: "demo" } },
  "POST /api/replay": { who: "O", body: { rules: "rules:\n  - { id: x, on: fetch }\n" } },
  "DELETE /api/replay/{id}": { who: "O" },
  "POST /api/review/run": { who: "O" },
  "POST /api/webhooks/deliveries/{id}/retry": { who: "O" },
  "POST /api/webhooks/{name}/test": { who: "O" },
  "PATCH /api/instructions": {
    who: "OU",
    query: "?agent=demo",
    body: { after: 0, add: ["x"] },
  },
  "POST /api/instructions/undo": {
    who: "OU",
    query: "?agent=demo",
    body: { after: 1 },
  },
  "DELETE /api/memory/{id}": { who: "OU", query: "?agent=demo" },
  "POST /api/schedules": {
    who: "OU",
    body: { agent: "demo", cron: "0 0 1 1 *", zone: "UTC", say: "hello" },
  },
  "PATCH /api/schedules/{id}": { who: "OU", body: { say: "another" } },
  "DELETE /api/schedules/{id}": { who: "OU" },
  "POST /api/switches/pause": { who: "O", body: { time: "10m" } },
  "DELETE /api/switches/pause": { who: "O" },
  "POST /api/logout": { who: "OUV" },
};

/** A viewer's word counts for what is their own, and for what is only worked out and kept nowhere. */
const VIEWERS_MAY = [
  "DELETE /api/users/{id}/keys/{key}",
  "PATCH /api/users/{id}",
  "POST /api/logout",
  "POST /api/prompt/preview",
  "POST /api/rules/check",
];

/** What works something out, ends what runs or, here, finds nothing to do. */
const KEEP_NOTHING = [
  "POST /api/sessions/{id}/cancel",
  "POST /api/sessions/{id}/classification",
  "POST /api/approvals/{id}",
  "POST /api/rules/check",
  "POST /api/rules/test",
  "POST /api/prompt/preview",
  "POST /api/replay",
  "DELETE /api/replay/{id}",
  "POST /api/review/run",
  "POST /api/webhooks/deliveries/{id}/retry",
  "POST /api/webhooks/{name}/test",
];
const NOT_THERE = [
  "POST /api/approvals/{id}",
  "DELETE /api/replay/{id}",
  "POST /api/webhooks/deliveries/{id}/retry",
  "POST /api/webhooks/{name}/test",
];

const ROLES = { O: "operator", U: "user", V: "viewer" } as const;
const rolesOf = (who: Who): readonly Role[] | "public" =>
  who === "all" ? "public" : [...who].map((letter) => ROLES[letter as keyof typeof ROLES]);
const declared = ROUTES.map((route): readonly [string, RouteSpec] => [route.key, specOf(route)]);
const byName = (names: Iterable<string>) => [...names].toSorted();

describe("the table of routes and roles", () => {
  it("RLS-1 the table of routes and roles has one row for every route, and no row without a route", () => {
    const rows = [...Object.keys(READS), ...Object.keys(WRITES)];
    expect(byName(rows)).toEqual(byName(declared.map(([key]) => key)));
    expect(Object.keys(READS).filter((key) => !key.startsWith("GET "))).toEqual([]);
    expect(Object.keys(WRITES).filter((key) => key.startsWith("GET "))).toEqual([]);
  });

  it.each(declared)("RLS-2 %s is open to exactly the roles in its row", (key, { roles }) => {
    expect(roles).toEqual(rolesOf(READS[key] ?? WRITES[key]?.who ?? "all"));
  });

  it("RLS-3 viewers write only their own data", () => {
    const theirs = declared.filter(([key, { roles }]) => !key.startsWith("GET ") && roles.includes("viewer"));
    expect(byName(theirs.map(([key]) => key))).toEqual(VIEWERS_MAY);
  });
});

/** Methods of the stores that write. */
const WRITING: ReadonlySet<string | symbol> = new Set(
  "append put write add change create addTurn updateTurn addKey takeKey save remove deleteSession begin end".split(" "),
);

describe("over HTTP", () => {
  type Person = Awaited<ReturnType<(typeof world)["person"]>>;
  let world: Awaited<ReturnType<typeof httpWorld>>;
  const people = new Map<Role, Person & { readonly ids: Ids }>();
  const written: string[] = [];

  beforeAll(async () => {
    const stores = Object.entries(memoryGatewayStores()).map(([name, port]) => [name, watched(name, port)]);
    world = await httpWorld({ stores: Object.fromEntries(stores), review: { config: { runner: "off" } } });
    const shared = await prepare();
    for (const role of ["operator", "user", "viewer"] as const) {
      const person = await world.person(`the-${role}`, role);
      people.set(role, { ...person, ids: { ...shared, ...(await own(`the-${role}`, role, person)) } });
    }
  });
  afterAll(() => world.close());

  function watched<T extends object>(name: string, port: T): T {
    return new Proxy(port, {
      get(target, method) {
        const value: unknown = Reflect.get(target, method, target);
        if (typeof value !== "function" || !WRITING.has(method)) return value;
        return (...given: unknown[]) => {
          written.push(`${name}.${String(method)}`);
          return Reflect.apply(value, target, given);
        };
      },
    });
  }

  /** Candidates, directives and a rule: what the review and its routes are about. */
  async function prepare(): Promise<Ids> {
    const contracts = world.conduct.contracts;
    if (contracts === undefined) throw new Error("there is a contract");
    const ids: Record<string, string> = {
      agents: "desk",
      approvals: "nothing",
      standing: "no-poems",
      deliveries: "nothing",
      webhooks: "nothing",
    };
    for (const [name, text] of [
      ["candidates", "jokes"],
      ["sighs", "sighs"],
    ] as const) {
      const evidence = [`s_1/e_${name}: no more ${text}, please`];
      const made = await contracts.change(
        { kind: "propose", type: "less", text, confidence: 0.8, evidence },
        "daily-review",
      );
      ids[name] = (made.kind === "accepted" && made.candidate?.id) || "";
    }
    for (const [name, text] of [
      ["directives", "short answers"],
      ["other", "status reports"],
    ] as const) {
      const made = await contracts.change({ kind: "add", type: "keep", text }, "somebody");
      ids[name] = (made.kind === "accepted" && made.directive?.id) || "";
    }
    expect(Object.values(ids)).not.toContain("");
    return ids;
  }

  /** A key to spare, and for those who talk a conversation, a schedule and a note. */
  async function own(id: string, role: Role, { client }: Person): Promise<Ids> {
    await world.gateway.access.newToken(id, "spare");
    const { keys } = await client.call("GET /api/users/{id}/keys", { params: { id } });
    const ids = { users: id, keys: keys.find(({ label }) => label === "spare")?.id ?? "" };
    if (role === "viewer") return { ...ids, ...people.get("operator")?.ids, ...ids };
    const { id: sessions } = await client.call("POST /api/sessions", { body: { agent: "demo" } });
    const { session: api } = await client.call("POST /api/v1/sessions", { body: { agent: "demo" } });
    const schedule = { agent: "demo", cron: "0 0 1 1 *", zone: "UTC", say: "hello" };
    const { id: schedules } = await client.call("POST /api/schedules", { body: schedule });
    await world.stores.memory.save({ user: id, agent: "demo" }, { id: `n-${id}`, text: "tea, not coffee", at: 1 });
    return { ...ids, sessions, api, schedules, memory: `n-${id}` };
  }

  async function send(route: string, as: Role, ids: Ids): Promise<number> {
    const [method = "", path = ""] = route.split(" ");
    const { at = {}, query = "", body } = WRITES[route] ?? { who: "all" };
    const filled = path.replaceAll(/(\w+)\/\{\w+\}/g, (_, word: string) => `${word}/${ids[at[word] ?? word]}`);
    const response = await fetch(`${world.gateway.url}${filled}${query}`, {
      method,
      headers: { authorization: `Bearer ${people.get(as)?.secret}`, "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    await response.text();
    return response.status;
  }

  const rows = Object.entries(WRITES).flatMap(([route, { who }]) =>
    (["operator", "user", "viewer"] as const).map((role) => ({ route, role, may: rolesOf(who) })),
  );
  const isAllowed = ({ may, role }: (typeof rows)[number]) => may === "public" || may.includes(role);

  it.each(rows.filter((row) => !isAllowed(row)))(
    "RLS-10 $route is rejected for a $role, and nothing is written",
    async ({ route, role }) => {
      const ids = people.get("operator")?.ids ?? {};
      written.length = 0;
      expect(await send(route, role, ids)).toBe(403);
      expect(written).toEqual([]);
    },
  );

  it.each(["DELETE /api/users/{id}/keys/{key}", "PATCH /api/users/{id}"])(
    "RLS-11 %s does not let viewers and users act for others",
    async (route) => {
      for (const role of ["viewer", "user"] as const) {
        written.length = 0;
        expect(await send(route, role, people.get("operator")?.ids ?? {})).toBe(404);
        expect(written).toEqual([]);
      }
    },
  );

  it.each(["POST /api/prompt/preview", "POST /api/rules/check"])("RLS-12 %s stores nothing", async (route) => {
    written.length = 0;
    expect(await send(route, "viewer", people.get("viewer")?.ids ?? {})).toBe(200);
    expect(written).toEqual([]);
  });

  // The same requests: so that what was refused above was refused for the role, and for nothing else.
  it.each(rows.filter((row) => isAllowed(row) && row.may !== "public" && row.role !== "viewer"))(
    "RLS-13 $route is accepted from a $role",
    async ({ route, role }) => {
      written.length = 0;
      const status = await send(route, role, people.get(role)?.ids ?? {});
      // There is no question to answer and no replay to call off; everything else is done.
      expect(status).toSatisfy((one: number) => (NOT_THERE.includes(route) ? one === 404 : one < 300));
      if (!KEEP_NOTHING.includes(route)) expect(written).not.toEqual([]);
    },
  );
});

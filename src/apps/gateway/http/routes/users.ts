import { z } from "zod";
import type { User } from "../../../../base/words/hosting/user.ts";
import { findZone } from "../../../../behavior/prompt/time-text.ts";
import type { ApiContext } from "../api-context.ts";
import { forbidden, found, notFound, Problem } from "../problem.ts";
import { type Caller, Reply, route } from "../route.ts";
import { ALL, count, deleted, list, OPERATOR, role, user } from "../schemas.ts";
import { COOKIE } from "../serve.ts";

/** A key's id is this many digits of its hash, which reveal nothing about the secret. */
const KEY_ID = 16;
const name = z.string().trim().min(1).max(100);
const label = z.string().trim().min(1).max(100);
const zone = z.string().transform((written, context) => {
  const found = findZone(written);
  if ("zone" in found) return found.zone;
  context.addIssue({ code: "custom", message: found.fault.replace(/^".*?" is/, "is") });
  return z.NEVER;
});
const telegram = z.number().int().positive();
const slack = z.string().regex(/^[UW][A-Z0-9]{4,20}$/, { error: "must be a Slack id, such as U012AB3CD" });
const scopes = z
  .array(z.enum(["operator-messages"]))
  .max(1)
  .readonly()
  .optional();

export const loginRoutes = [
  route("POST /api/login", {
    summary: "Sign a browser in with the code of a login link, which works once",
    roles: "public",
    body: z.object({ code: z.string().min(1).max(200) }),
    response: user,
    reply: true,
    answer: async ({ body }, _caller, { access, isSecure }) => {
      const signed = await access.signIn(body.code);
      if (signed === undefined) {
        const fix = "Create a new one: conduct gateway login.";
        throw new Problem(401, "BAD_CODE", "This login link was already used, or has expired.", fix);
      }
      return new Reply(signed.user, cookie(signed.secret, signed.maxAge, isSecure ? "; Secure" : ""));
    },
  }),
  route("POST /api/logout", {
    summary: "Sign this browser out",
    roles: ALL,
    response: z.object({ done: z.literal(true) }),
    reply: true,
    answer: async (_input, caller, { access, revocations, cluster }) => {
      await access.signOut(caller.secret);
      revocations.tell(caller.user.id, "revoked");
      cluster?.revoke(caller.user.id);
      return new Reply({ done: true } as const, cookie("", 0));
    },
  }),
  route("GET /api/me", {
    summary: "Show the caller",
    roles: ALL,
    response: user,
    answer: (_input, caller) => caller.user,
  }),
];

export const userRoutes = [
  route("GET /api/users", {
    summary: "List all users by id",
    roles: OPERATOR,
    query: z.object({ limit: count(200, 50), after: z.string().optional() }),
    response: z.object({ users: list(user), next: z.string().optional() }),
    answer: async ({ query: { limit, after } }, _caller, { stores }) => {
      const users = await stores.users.list({ limit, after });
      return { users, next: users.length === limit ? users.at(-1)?.id : undefined };
    },
  }),
  route("POST /api/users", {
    summary: "Add a user",
    roles: OPERATOR,
    body: z.object({
      id: z.string().regex(/^[\w.@-]{1,60}$/, { error: "may have letters, digits and . _ @ -" }),
      name,
      role,
      zone: zone.optional(),
      telegram: telegram.optional(),
      slack: slack.optional(),
    }),
    response: user,
    status: 201,
    answer: async ({ body }, _caller, { stores, clock }) => {
      const user: User = { ...body, at: clock.now() };
      const added = await stores.users.add(user);
      if (added === "telegram-taken" || added === "slack-taken") throw idTaken(added, body);
      if (added === "exists")
        throw new Problem(409, "USER_EXISTS", `User '${body.id}' already exists.`, "Change it, or choose another id.");
      return user;
    },
  }),
  route("GET /api/users/{id}", {
    summary: "Show a user: yourself, or anybody for operators",
    roles: ALL,
    response: user,
    answer: ({ params }, caller, api) => findFor(params.id, caller, api),
  }),
  route("PATCH /api/users/{id}", {
    summary: "Change a name or time zone, also your own; only operators change roles and the ids of Telegram and Slack",
    roles: ALL,
    body: z.object({ name, zone, role, telegram: telegram.nullable(), slack: slack.nullable() }).partial(),
    response: user,
    answer: async ({ params: { id }, body }, caller, api) => {
      const isSelf = caller.user.id === id;
      const isOperator = caller.user.role === "operator";
      if (!isOperator && !isSelf) throw notFound(`user '${id}'`);
      const isOfOperator = body.role !== undefined || body.telegram !== undefined || body.slack !== undefined;
      if (!isOperator && isOfOperator)
        throw forbidden("Only operators can change a role, a Telegram id or a Slack id.");
      if (body.role !== undefined && body.role !== "operator" && isSelf)
        throw forbidden("Operators cannot remove their own role, so that one operator always remains.");
      // Users change their own name and zone. Every other change needs the operator role at the time of the write.
      const own = { name: body.name, zone: body.zone };
      const by = caller.user.id;
      const changed = await api.stores.users.change(id, isSelf && !isOfOperator ? own : { ...body, by });
      switch (changed.kind) {
        case "missing":
          throw notFound(`user '${id}'`);
        case "telegram-taken":
        case "slack-taken":
          throw idTaken(changed.kind, body);
        case "not-operator":
          throw forbidden("Only operators can do this, and you are no longer an operator.");
        case "changed":
          if (changed.user.role !== changed.before.role) await applyRole(changed.user, api);
          return changed.user;
      }
    },
  }),
  route("POST /api/users/{id}/login", {
    summary: "Create a login link for a user, which works once",
    roles: OPERATOR,
    response: z.object({ code: z.string() }),
    status: 201,
    secret: true,
    answer: async ({ params }, _caller, api) => ({ code: await api.access.loginCode((await find(params.id, api)).id) }),
  }),
  route("POST /api/users/{id}/tokens", {
    summary: "Create a token for programs; its secret is shown only once",
    roles: OPERATOR,
    body: z.object({
      label: label.refine((text) => text !== "CONDUCT_TOKEN", { error: "is reserved" }),
      days: z.number().int().min(1).max(3_650).optional(),
      scopes: scopes.describe("`operator-messages`: messages sent with this token count as the user's own words"),
    }),
    response: z.object({ token: z.string(), label: z.string(), expiresAt: z.number().optional() }),
    status: 201,
    secret: true,
    answer: async ({ params, body: { label, days, scopes } }, _caller, api) => {
      const { id } = await find(params.id, api);
      const lastsMs = days === undefined ? undefined : days * 86_400_000;
      const { secret, key } = await api.access.newToken(id, label, lastsMs, scopes);
      return { token: secret, label, expiresAt: key.expiresAt };
    },
  }),
  route("GET /api/users/{id}/keys", {
    summary: "List a user's tokens, signed-in browsers and unused login links, without their secrets",
    roles: ALL,
    response: z.object({
      keys: list(
        z.object({
          id: z.string(),
          kind: z.enum(["login", "cookie", "token"]),
          label: z.string().optional(),
          scopes,
          at: z.number(),
          expiresAt: z.number().optional(),
        }),
      ),
    }),
    answer: async ({ params }, caller, api) => ({
      keys: (await keysOf(params.id, caller, api)).map(({ hash, ...key }) => ({ ...key, id: hash.slice(0, KEY_ID) })),
    }),
  }),
  route("DELETE /api/users/{id}/keys/{key}", {
    summary: "Revoke a key immediately",
    roles: ALL,
    response: deleted,
    answer: async ({ params: { id, key } }, caller, api) => {
      const keys = (await keysOf(id, caller, api)).filter(({ hash }) => hash.slice(0, KEY_ID) === key);
      if (keys.length === 0) throw notFound(`key '${key}'`);
      for (const { hash } of keys) await api.stores.users.takeKey(hash);
      api.revocations.tell(id, "revoked");
      api.cluster?.revoke(id);
      return { deleted: true } as const;
    },
  }),
];

function cookie(value: string, maxAge: number, more = "") {
  const text = `${COOKIE}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${maxAge}${more}`;
  return { headers: { "set-cookie": text } };
}

async function find(id: string, { stores }: ApiContext): Promise<User> {
  return found(await stores.users.read(id), `user '${id}'`);
}

/** Users see themselves; operators see anybody. */
async function findFor(id: string, { user }: Caller, api: ApiContext): Promise<User> {
  if (user.role !== "operator" && user.id !== id) throw notFound(`user '${id}'`);
  return find(id, api);
}

async function keysOf(id: string, caller: Caller, api: ApiContext) {
  const keys = await api.stores.users.keysOf((await findFor(id, caller, api)).id);
  const now = api.clock.now();
  return keys.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
}

/** Ends open streams and elevated turns that only the old role allowed. */
async function applyRole(user: User, { revocations, conversations, cluster }: ApiContext): Promise<void> {
  revocations.tell(user.id, "revoked");
  cluster?.changeRole(user);
  await conversations.applyRole(user);
}

type ChatIds = { readonly telegram?: number | null | undefined; readonly slack?: string | null | undefined };

function idTaken(kind: "telegram-taken" | "slack-taken", { telegram, slack }: ChatIds): Problem {
  if (kind === "slack-taken") return new Problem(409, "SLACK_TAKEN", `Slack id ${slack} belongs to another user.`);
  return new Problem(409, "TELEGRAM_TAKEN", `Telegram id ${telegram} belongs to another user.`);
}

import { z } from "zod";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { UsersStore } from "../../../../base/ports/stores/users.ts";
import type { User } from "../../../../base/words/hosting/user.ts";
import type { Access } from "../access.ts";
import { forbidden, notFound, Problem } from "../problem.ts";
import { type Caller, Reply, type RouteHandlers, type RouteTable } from "../route.ts";
import { ALL, count, deleted, list, OPERATOR, role, user } from "../schemas.ts";
import { COOKIE } from "../serve.ts";
import type { Revocations } from "../streams/revocations.ts";

/** A key's id is this many digits of its hash, which reveal nothing about the secret. */
const KEY_ID = 16;
const name = z.string().trim().min(1).max(100);
const label = z.string().trim().min(1).max(100);
const zone = z.string().refine(isZone, { error: "is no time zone; one looks like Europe/London" });
const telegram = z.number().int().positive();

export const loginRoutes = {
  "POST /api/login": {
    summary: "Sign a browser in with the code of a login link; it works once",
    tag: "access",
    roles: "public",
    body: z.object({ code: z.string().min(1).max(200) }),
    response: user,
    reply: true,
  },
  "POST /api/logout": {
    summary: "Sign this browser out",
    tag: "access",
    roles: ALL,
    response: z.object({ done: z.literal(true) }),
    reply: true,
  },
  "GET /api/me": { summary: "Who am I?", tag: "access", roles: ALL, response: user },
} satisfies RouteTable;

/** `secure`: the gateway is reached over https. */
export function loginHandlers(
  access: Access,
  revocations: Revocations,
  secure: boolean,
): RouteHandlers<typeof loginRoutes> {
  const cookie = (value: string, maxAge: number) => ({
    "set-cookie": `${COOKIE}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${maxAge}`,
  });
  return {
    async "POST /api/login"({ body }) {
      const signed = await access.signIn(body.code);
      if (signed === undefined)
        throw new Problem(401, "BAD_CODE", "This login link was used already, or is too old.", {
          fix: "Get a new one: conduct gateway login.",
        });
      const headers = cookie(signed.secret, signed.maxAge);
      if (secure) headers["set-cookie"] += "; Secure";
      return new Reply(signed.user, { headers });
    },
    async "POST /api/logout"(_input, caller) {
      await access.signOut(caller.secret);
      revocations.announce(caller.user.id);
      return new Reply({ done: true }, { headers: cookie("", 0) });
    },
    "GET /api/me": (_input, caller) => caller.user,
  };
}

export const userRoutes = {
  "GET /api/users": {
    summary: "Everybody, by id",
    tag: "users",
    roles: OPERATOR,
    query: z.object({ limit: count(200, 50), after: z.string().optional() }),
    response: z.object({ users: list(user), next: z.string().optional() }),
  },
  "POST /api/users": {
    summary: "Add somebody",
    tag: "users",
    roles: OPERATOR,
    body: z.object({
      id: z.string().regex(/^[\w.@-]{1,60}$/, { error: "may have letters, digits and . _ @ -" }),
      name,
      role,
      zone: zone.optional(),
      telegram: telegram.optional(),
    }),
    response: user,
    status: 201,
  },
  "GET /api/users/{id}": { summary: "One person; oneself, or an operator", tag: "users", roles: ALL, response: user },
  "PATCH /api/users/{id}": {
    summary: "Change name or zone, one's own too; role and Telegram id are an operator's to change",
    tag: "users",
    roles: ALL,
    body: z.object({ name, zone, role, telegram: telegram.nullable() }).partial(),
    response: user,
  },
  "POST /api/users/{id}/login": {
    summary: "A link that signs this person in, once",
    tag: "access",
    roles: OPERATOR,
    response: z.object({ code: z.string() }),
    status: 201,
    secret: true,
  },
  "POST /api/users/{id}/tokens": {
    summary: "A token for programs; the secret is shown this once",
    tag: "access",
    roles: OPERATOR,
    body: z.object({
      label: label.refine((text) => text !== "CONDUCT_TOKEN", { error: "is taken" }),
      days: z.number().int().min(1).max(3_650).optional(),
    }),
    response: z.object({ token: z.string(), label: z.string(), expiresAt: z.number().optional() }),
    status: 201,
    secret: true,
  },
  "GET /api/users/{id}/keys": {
    summary: "What somebody can sign in with: tokens, browsers, links that were not used; without the secrets",
    tag: "access",
    roles: ALL,
    response: z.object({
      keys: list(
        z.object({
          id: z.string(),
          kind: z.enum(["login", "cookie", "token"]),
          label: z.string().optional(),
          at: z.number(),
          expiresAt: z.number().optional(),
        }),
      ),
    }),
  },
  "DELETE /api/users/{id}/keys/{key}": {
    summary: "Take a key away; it is good for nothing from now on",
    tag: "access",
    roles: ALL,
    response: deleted,
  },
} satisfies RouteTable;

export type UserRoutesOptions = {
  readonly users: UsersStore;
  readonly access: Access;
  readonly clock: Clock;
  readonly revocations: Revocations;
  /** Ends open streams and elevated turns that only the old role allowed. */
  readonly roleChanged: (user: User) => Promise<void>;
};

export function userHandlers({
  users,
  access,
  clock,
  revocations,
  roleChanged,
}: UserRoutesOptions): RouteHandlers<typeof userRoutes> {
  const find = async (id: string): Promise<User> => {
    const found = await users.read(id);
    if (found === undefined) throw notFound(`user '${id}'`);
    return found;
  };
  const telegramTaken = (id: number | null | undefined) =>
    new Problem(409, "TELEGRAM_TAKEN", `Telegram id ${id} belongs to somebody else.`);

  /** Users read their own keys; operators read any user's. */
  const keysOf = async (id: string, caller: Caller) => {
    if (caller.user.role !== "operator" && caller.user.id !== id) throw notFound(`user '${id}'`);
    const now = clock.now();
    const keys = await users.keysOf((await find(id)).id);
    return keys.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
  };

  return {
    "GET /api/users/{id}/keys": async ({ params }, caller) => ({
      keys: (await keysOf(params.id, caller)).map(({ hash, ...key }) => ({ ...key, id: hash.slice(0, KEY_ID) })),
    }),
    async "DELETE /api/users/{id}/keys/{key}"({ params }, caller) {
      const found = (await keysOf(params.id, caller)).filter(({ hash }) => hash.slice(0, KEY_ID) === params.key);
      if (found.length === 0) throw notFound(`key '${params.key}'`);
      for (const { hash } of found) await users.takeKey(hash);
      revocations.announce(params.id);
      return { deleted: true };
    },
    async "GET /api/users"({ query: { limit, after } }) {
      const found = await users.list({ limit, after });
      return { users: found, next: found.length === limit ? found.at(-1)?.id : undefined };
    },
    async "POST /api/users"({ body }) {
      const user: User = { ...body, at: clock.now() };
      const added = await users.add(user);
      if (added === "telegram-taken") throw telegramTaken(body.telegram);
      if (added === "exists")
        throw new Problem(409, "USER_EXISTS", `There is a user '${body.id}' already.`, {
          fix: "Change that one, or choose another id.",
        });
      return user;
    },
    async "GET /api/users/{id}"({ params }, caller) {
      if (caller.user.role !== "operator" && caller.user.id !== params.id) throw notFound(`user '${params.id}'`);
      return find(params.id);
    },
    async "PATCH /api/users/{id}"({ params, body }, caller) {
      const isOperator = caller.user.role === "operator";
      if (!isOperator && caller.user.id !== params.id) throw notFound(`user '${params.id}'`);
      if (!isOperator && (body.role !== undefined || body.telegram !== undefined))
        throw forbidden("Only an operator changes a role or a Telegram id.");
      if (body.role !== undefined && body.role !== "operator" && caller.user.id === params.id)
        throw forbidden("An operator cannot take the role from themselves: somebody has to be left.");
      // Users change their own name and zone. Every other change needs the operator role at the time of the write.
      const isOwn = caller.user.id === params.id && body.role === undefined && body.telegram === undefined;
      const own = { name: body.name, zone: body.zone };
      const changed = await users.change(params.id, isOwn ? own : { ...body, by: caller.user.id });
      switch (changed.kind) {
        case "missing":
          throw notFound(`user '${params.id}'`);
        case "telegram-taken":
          throw telegramTaken(body.telegram);
        case "not-operator":
          throw forbidden("Only an operator may do this, and you are not an operator any more.");
        case "changed":
          if (changed.user.role !== changed.before.role) await roleChanged(changed.user);
          return changed.user;
      }
    },
    async "POST /api/users/{id}/login"({ params }) {
      return { code: await access.loginCode((await find(params.id)).id) };
    },
    async "POST /api/users/{id}/tokens"({ params, body }) {
      const { id } = await find(params.id);
      const lastsMs = body.days === undefined ? undefined : body.days * 86_400_000;
      const { secret, key } = await access.newToken(id, body.label, lastsMs);
      return { token: secret, label: body.label, expiresAt: key.expiresAt };
    },
  };
}

function isZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

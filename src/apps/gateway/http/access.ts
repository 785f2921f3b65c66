import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../../base/ports/clock.ts";
import type { UsersStore } from "../../../base/ports/stores/users.ts";
import type { AccessKey } from "../../../base/words/hosting/user.ts";
import type { Caller } from "./route.ts";

const LOGIN_MS = 15 * 60_000;
const COOKIE_MS = 30 * 24 * 3_600_000;

export type Access = ReturnType<typeof openAccess>;

/**
 * Identifies callers by their secrets. Secrets are long and random, and only their hashes are stored. They are looked up by hash,
 * so that a comparison leaks nothing through its timing.
 */
export function openAccess(users: UsersStore, clock: Clock) {
  async function add(
    user: string,
    kind: AccessKey["kind"],
    lastsMs: number | undefined,
    more: Pick<AccessKey, "label" | "scopes"> = {},
  ) {
    const secret = `${PREFIX[kind]}_${randomBytes(32).toString("base64url")}`;
    const at = clock.now();
    const expiresAt = lastsMs === undefined ? undefined : at + lastsMs;
    const key: AccessKey = { hash: hashOf(secret), user, kind, at, ...more, expiresAt };
    await users.addKey(key);
    return { secret, key };
  }

  /** Rejects a login code created while the clock was ahead, because it would stay valid for too long. */
  function isGood(key: AccessKey | undefined): key is AccessKey {
    if (key === undefined) return false;
    const now = clock.now();
    if (key.kind === "login" && key.at > now + LOGIN_MS) return false;
    return key.expiresAt === undefined || now < key.expiresAt;
  }

  return {
    /** Creates the one-time code of a login link. */
    async loginCode(user: string): Promise<string> {
      // Unused login links would stay in the store forever.
      for (const { hash, expiresAt = Number.POSITIVE_INFINITY } of await users.keysOf(user))
        if (expiresAt <= clock.now()) await users.takeKey(hash);
      return (await add(user, "login", LOGIN_MS)).secret;
    },
    /** Exchanges a login code for a cookie. Returns `undefined` if the code was used or has expired. */
    async signIn(code: string) {
      if (!code.startsWith(`${PREFIX.login}_`)) return undefined;
      const key = await users.takeKey(hashOf(code));
      if (!isGood(key) || key.kind !== "login") return undefined;
      const user = await users.read(key.user);
      if (user === undefined) return undefined;
      const { secret } = await add(user.id, "cookie", COOKIE_MS);
      return { user, secret, maxAge: COOKIE_MS / 1_000 };
    },
    async signOut(secret: string): Promise<void> {
      await users.takeKey(hashOf(secret));
    },
    /** Creates a token for programs. The secret is returned once and never stored. */
    newToken: (user: string, label: string, lastsMs?: number, scopes?: AccessKey["scopes"]) =>
      add(user, "token", lastsMs, { label, scopes }),
    /** Makes the secret that the operator chose a valid token, and revokes the previous one. */
    async adoptToken(user: string, secret: string | undefined): Promise<void> {
      const hash = secret === undefined ? undefined : hashOf(secret);
      for (const key of await users.keysOf(user)) {
        if (key.label === ADOPTED && key.hash !== hash) await users.takeKey(key.hash);
      }
      if (hash === undefined || (await users.readKey(hash)) !== undefined) return;
      await users.addKey({ hash, user, kind: "token", label: ADOPTED, at: clock.now() });
    },
    async caller(secret: string, via: Caller["via"]): Promise<Caller | undefined> {
      const key = await users.readKey(hashOf(secret));
      if (!isGood(key) || key.kind !== via) return undefined;
      const user = await users.read(key.user);
      return user === undefined ? undefined : { user, via, secret, scopes: key.scopes };
    },
  };
}

/** Reserved label of the operator's own token. */
const ADOPTED = "CONDUCT_TOKEN";
const PREFIX = { login: "cl", cookie: "cc", token: "ct" } as const;

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

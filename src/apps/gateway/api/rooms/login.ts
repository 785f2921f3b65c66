import { z } from "zod";
import type { Access } from "../access.ts";
import { Problem, type RouteHandlers, type RouteTable } from "../route.ts";
import { COOKIE } from "../serve.ts";
import { user } from "../shapes.ts";
import type { Revocations } from "../streams/revocations.ts";

const ALL = ["operator", "user", "viewer"] as const;

export const loginRoutes = {
  "POST /api/login": {
    summary: "Sign a browser in with the code of a login link; it works once",
    tag: "access",
    roles: "public",
    body: z.object({ code: z.string().min(1).max(200) }),
    response: user,
  },
  "POST /api/logout": {
    summary: "Sign this browser out",
    tag: "access",
    roles: ALL,
    response: z.object({ done: z.literal(true) }),
  },
  "GET /api/me": { summary: "Who am I?", tag: "access", roles: ALL, response: user },
} satisfies RouteTable;

/** `secure` where the gateway is reached over https. */
export function loginHandlers(
  access: Access,
  revocations: Revocations,
  secure: boolean,
): RouteHandlers<typeof loginRoutes> {
  return {
    async "POST /api/login"({ body }) {
      const signed = await access.signIn(body.code);
      if (signed === undefined)
        throw new Problem(401, "BAD_CODE", "This login link was used already, or is too old.", {
          fix: "Get a new one: conduct gateway login.",
        });
      const { user: who, secret, maxAge } = signed;
      const cookie = `${COOKIE}=${secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${maxAge}${secure ? "; Secure" : ""}`;
      return Response.json(user.parse(who), {
        headers: { "set-cookie": cookie, "cache-control": "no-store" },
      }) as never;
    },
    async "POST /api/logout"(_input, caller) {
      await access.signOut(caller.secret);
      revocations.announce(caller.user.id);
      const gone = `${COOKIE}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0`;
      return Response.json({ done: true }, { headers: { "set-cookie": gone } }) as never;
    },
    "GET /api/me": async (_input, caller) => caller.user,
  };
}

import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";

/** Node's own request and response; there are none where the app is called without a server. */
export function nodeOf(context: Context): Partial<HttpBindings> | undefined {
  return context.env as Partial<HttpBindings> | undefined;
}

/** Where the request comes from: a proxy's address where there is one. */
export function addressOf(context: Context): string {
  return nodeOf(context)?.incoming?.socket?.remoteAddress ?? "unknown";
}

import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";

/** The address of a server, and the token that every request must carry. */
export type Guard = { readonly host: string; readonly token: string };

/** Why a request is refused; `undefined` if it is served. */
export function refuseRequest(
  headers: IncomingHttpHeaders,
  { host, token }: Guard,
): { readonly status: 401 | 403; readonly why: string } | undefined {
  // DNS rebinding: a foreign name may resolve to this machine, an address cannot.
  const named = nameIn(`http://${headers.host}`);
  if (headers.host === undefined || named === undefined || !(isNear(named, host) || isIP(named) !== 0)) {
    return { status: 403, why: "this Host is not allowed: use the server's IP address" };
  }
  // Only browsers send an origin; a foreign page is refused even with the right token.
  const page = headers.origin === undefined ? host : nameIn(headers.origin);
  if (page === undefined || !isNear(page, host)) return { status: 403, why: "this Origin is not allowed" };
  const given = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
  if (given === undefined || !same(given, token)) {
    return { status: 401, why: "missing or wrong token: send Authorization: Bearer …" };
  }
  return undefined;
}

function nameIn(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, "") : undefined;
}

function isNear(name: string, host: string): boolean {
  return name === host || isLoopback(name);
}

/** Compares in constant time. */
function same(given: string, token: string): boolean {
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", token, "buffer"));
}

/** True if only programs on this machine can reach the host. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

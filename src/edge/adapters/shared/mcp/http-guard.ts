import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";

/** Where a server listens, and the token that every request has to carry. */
export type Guard = { readonly host: string; readonly token: string };

/** Why a request is not served; `undefined` when it is. */
export function refuseRequest(
  headers: IncomingHttpHeaders,
  { host, token }: Guard,
): { readonly status: 401 | 403; readonly why: string } | undefined {
  // A name that somebody else's DNS leads here is not ours; an address cannot be led anywhere.
  const named = nameIn(`http://${headers.host}`);
  if (headers.host === undefined || named === undefined || !(isNear(named, host) || isIP(named) !== 0)) {
    return { status: 403, why: "this Host is not served: name the server by its address" };
  }
  // Only browsers send one; a page from elsewhere has no business here, whatever token it may have got hold of.
  const page = headers.origin === undefined ? host : nameIn(headers.origin);
  if (page === undefined || !isNear(page, host)) return { status: 403, why: "this Origin is not served" };
  const given = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
  if (given === undefined || !same(given, token)) {
    return { status: 401, why: "a bearer token is needed: Authorization: Bearer …" };
  }
  return undefined;
}

function nameIn(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, "") : undefined;
}

function isNear(name: string, host: string): boolean {
  return name === host || isLoopback(name);
}

/** In the same time whatever was given. */
function same(given: string, token: string): boolean {
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", token, "buffer"));
}

/** Whether only programs on this machine can reach it. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

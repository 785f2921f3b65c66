import { lookup } from "node:dns/promises";
import { type IncomingMessage, type OutgoingHttpHeaders, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { BlockList, isIP } from "node:net";
import { Readable } from "node:stream";

const MOST_REDIRECTS = 5;
const MOST_BYTES = 1024 * 1024;
const LIMIT_MS = 30_000;

type SafeFetchOptions = {
  readonly signal?: AbortSignal;
  readonly maxBytes?: number;
  readonly checks?: UrlChecks;
};

type Fetched = {
  readonly status: number;
  /** Where it was found in the end. */
  readonly url: string;
  readonly type: string;
  /** As far as it was read. */
  readonly text: string;
  readonly isCut: boolean;
};

/**
 * Reads a URL that a person or a model has given. Every hop is checked anew, and asked at the very address that was checked. No
 * cookie and no key goes along.
 */
export async function safeFetch(text: string, options: SafeFetchOptions = {}): Promise<Fetched> {
  const { checks = PUBLIC_ONLY, maxBytes = MOST_BYTES } = options;
  const limit = AbortSignal.timeout(LIMIT_MS);
  const signal = options.signal === undefined ? limit : AbortSignal.any([limit, options.signal]);
  let at = text;
  for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
    const pinned = await pinUrl(at, checks);
    const response = await ask(pinned, signal);
    const { statusCode: status = 0, headers } = response;
    const next = status >= 300 && status < 400 ? headers.location : undefined;
    if (next === undefined) {
      const read = await readBody(response, maxBytes);
      return { status, url: pinned.url.href, type: headers["content-type"] ?? "", ...read };
    }
    response.destroy();
    if (!URL.canParse(next, pinned.url.href)) throw new UnsafeUrlError("it redirects to an invalid URL");
    at = new URL(next, pinned.url).href;
  }
  throw new UnsafeUrlError(`it redirects more than ${MOST_REDIRECTS} times`);
}

/**
 * A `fetch` for addresses that the operator has written: each request is checked anew and goes to the checked address. It
 * follows no redirects, which could lead elsewhere with the request's secrets.
 */
export function pinnedFetch(checks: UrlChecks): typeof fetch {
  return async (input, { method = "GET", headers, body, signal } = {}) => {
    const pinned = await pinUrl(String(input), checks);
    const sent = { "user-agent": "conduct", ...Object.fromEntries(new Headers(headers)) };
    const response = await ask(pinned, signal ?? undefined, { method, headers: sent }, body as Uint8Array | undefined);
    const { statusCode: status = 0, headers: given } = response;
    const isEmpty = status === 204 || status === 205 || status === 304;
    if (isEmpty) response.resume();
    const shown = Object.entries(given).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, [value].flat().join(", ")]],
    );
    return new Response(isEmpty ? null : (Readable.toWeb(response) as ReadableStream), { status, headers: shown });
  };
}

const BROWSING = {
  method: "GET",
  headers: { accept: "text/*, application/json;q=0.9, */*;q=0.1", "user-agent": "conduct" },
};

function ask(
  { url, address }: PinnedUrl,
  signal: AbortSignal | undefined,
  { method, headers }: { readonly method: string; readonly headers: OutgoingHttpHeaders } = BROWSING,
  body?: Uint8Array,
): Promise<IncomingMessage> {
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  const family = isIP(address);
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      signal,
      // No connection that somebody else has opened.
      agent: false,
      method,
      headers,
      lookup: (_host, { all }, done) => (all ? done(null, [{ address, family }]) : done(null, address, family)),
    });
    asked.once("response", resolve);
    asked.once("error", reject);
    asked.end(body);
  });
}

async function readBody(response: IncomingMessage, most: number): Promise<Pick<Fetched, "text" | "isCut">> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > most) break;
  }
  const whole = Buffer.concat(chunks);
  return { text: whole.subarray(0, most).toString("utf8"), isCut: bytes > most };
}

/** Not of the open internet, by the registries of special-purpose addresses (RFC 6890 and after). */
const PRIVATE_4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // Link-local, and with it the metadata services of the clouds.
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const;
/** Within 2000::/3, which is all that is given out; tunnels carry an IPv4 address that nobody has looked at. */
const PRIVATE_6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const;

const blocked = new BlockList();
for (const [net, bits] of PRIVATE_4) blocked.addSubnet(net, bits, "ipv4");
for (const [net, bits] of PRIVATE_6) blocked.addSubnet(net, bits, "ipv6");
const given = new BlockList();
given.addSubnet("2000::", 3, "ipv6");

/** Of the open internet? What is no address, or maps one onto another, is not. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !blocked.check(address, "ipv4");
    case 6:
      return given.check(address, "ipv6") && !blocked.check(address, "ipv6");
    default:
      return false;
  }
}

/** A URL that may not be asked; the message says why. */
export class UnsafeUrlError extends Error {}

export type UrlChecks = {
  /** All addresses of a name. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
  readonly isAllowed: (address: string) => boolean;
};

export const PUBLIC_ONLY: UrlChecks = {
  resolve: async (host) => (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address),
  isAllowed: isPublicAddress,
};

/** A URL with the one address that it is asked at: to look the name up again could give another. */
type PinnedUrl = { readonly url: URL; readonly address: string };

/** Checks where a URL leads. One private address among a name's many is enough to refuse it. */
export async function pinUrl(text: string, { resolve, isAllowed }: UrlChecks = PUBLIC_ONLY): Promise<PinnedUrl> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new UnsafeUrlError("this is not a URL");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new UnsafeUrlError(`only http and https are allowed, not ${url.protocol.slice(0, 20)}`);
  if (url.username !== "" || url.password !== "")
    throw new UnsafeUrlError("URLs that contain a password are not allowed");
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  const [address] = addresses;
  if (address === undefined) throw new UnsafeUrlError(`${host} has no address`);
  if (!addresses.every((one) => isAllowed(one)))
    throw new UnsafeUrlError(`${host} resolves to a private address, which is not allowed`);
  return { url, address };
}

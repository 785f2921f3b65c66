import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import { type PinnedUrl, PUBLIC_ONLY, pinUrl, UnsafeUrlError, type UrlChecks } from "./safe-url.ts";

const MOST_REDIRECTS = 5;
const MOST_BYTES = 1024 * 1024;
const LIMIT_MS = 30_000;

export type SafeFetchOptions = {
  readonly signal?: AbortSignal;
  readonly maxBytes?: number;
  readonly checks?: UrlChecks;
};

export type Fetched = {
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
    if (!URL.canParse(next, pinned.url.href)) throw new UnsafeUrlError("it redirects to what is no URL");
    at = new URL(next, pinned.url).href;
  }
  throw new UnsafeUrlError(`it redirects more than ${MOST_REDIRECTS} times`);
}

function ask({ url, address }: PinnedUrl, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  const family = isIP(address);
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      signal,
      // No connection that somebody else has opened.
      agent: false,
      headers: { accept: "text/*, application/json;q=0.9, */*;q=0.1", "user-agent": "conduct" },
      lookup: (_host, { all }, done) => (all ? done(null, [{ address, family }]) : done(null, address, family)),
    });
    asked.once("response", resolve);
    asked.once("error", reject);
    asked.end();
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

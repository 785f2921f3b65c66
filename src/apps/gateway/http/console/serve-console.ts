import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Hono } from "hono";

/** Allows only our own files: no inline scripts or styles, and no embedding in other pages. */
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const TYPES: { readonly [extension: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};
/** Unknown paths with these prefixes do not get the console's page. */
const NOT_SCREENS = /^\/(?:api|assets|telegram|slack|mcp)(?:\/|$)/;
/** Matches files such as `/robots.txt`. Paths of nested pages may contain a dot. */
const ROOT_FILE = /^\/[^/]+\.\w+$/;
const squeeze = promisify(gzip);

type Asset = {
  readonly body: Uint8Array;
  readonly small: Uint8Array | undefined;
  readonly type: string;
  readonly tag: string;
};

export type ConsolePlace = { readonly folder: string } | { readonly missing: string };

/** Serves the console's files, and `index.html` for every other path, because pages have their own addresses. */
export function serveConsole(app: Hono, place: () => Promise<ConsolePlace>): void {
  let loading: Promise<ReadonlyMap<string, Asset> | string> | undefined;
  const load = async () => {
    const found = await place();
    return "folder" in found ? loadFiles(found.folder) : found.missing;
  };
  app.get("*", async (context, next) => {
    const { path } = context.req;
    loading ??= load();
    // A failed load is retried on the next request.
    const files = await loading.catch((error: unknown) => {
      loading = undefined;
      return error instanceof Error ? error.message : String(error);
    });
    if (typeof files === "string") {
      loading = undefined;
      return NOT_SCREENS.test(path) ? next() : missingPage(files);
    }
    const file = path === "/" ? undefined : files.get(path);
    const asked = { tag: context.req.header("if-none-match"), accepts: context.req.header("accept-encoding") ?? "" };
    // Names of assets contain the hash of their content, so they never change.
    if (file !== undefined) return respond(file, path.startsWith("/assets/") ? FOREVER : LOOK_AGAIN, asked);
    const page = files.get("/index.html");
    if (NOT_SCREENS.test(path) || ROOT_FILE.test(path) || page === undefined) return next();
    return respond(page, LOOK_AGAIN, asked);
  });
}

const FOREVER = "public, max-age=31536000, immutable";
const LOOK_AGAIN = "no-cache";

function respond(
  { body, small, type, tag }: Asset,
  cache: string,
  asked: { readonly tag: string | undefined; readonly accepts: string },
): Response {
  const squeezed = small !== undefined && /\bgzip\b/.test(asked.accepts);
  const headers = {
    etag: tag,
    "cache-control": cache,
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    vary: "accept-encoding",
  };
  const same = asked.tag?.split(",").some((one) => one.trim().replace(/^W\//, "") === tag.replace(/^W\//, "")) === true;
  if (same) return new Response(null, { status: 304, headers });
  return new Response((squeezed ? small : body) as Uint8Array<ArrayBuffer>, {
    headers: { ...headers, "content-type": type, ...(squeezed ? { "content-encoding": "gzip" } : {}) },
  });
}

/** Loads all files into memory once. They are small, and no request path ever reaches the filesystem. */
async function loadFiles(folder: string): Promise<ReadonlyMap<string, Asset>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== "manifest.json");
  const loaded = files.map(async ({ parentPath, name }): Promise<readonly [string, Asset]> => {
    const file = join(parentPath, name);
    const body = await readFile(file);
    const type = TYPES[extname(name)] ?? "application/octet-stream";
    const packed = /text|javascript|svg/.test(type) ? await squeeze(body, { level: 9 }) : undefined;
    const small = packed !== undefined && packed.length < body.length ? packed : undefined;
    // A weak tag, because compressed and plain content are equivalent.
    const tag = `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
    return [`/${relative(folder, file).replaceAll("\\", "/")}`, { body, small, type, tag }];
  });
  const found = new Map(await Promise.all(loaded));
  if (!found.has("/index.html")) throw new Error(`there is no console in ${folder}`);
  return found;
}

function missingPage(why: string): Response {
  const text = `The console is not available: ${why}\n\nBuild it with: npm run build:console\nThe API works anyway: /api/openapi.json\n`;
  return new Response(text, {
    status: 503,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", "retry-after": "5" },
  });
}

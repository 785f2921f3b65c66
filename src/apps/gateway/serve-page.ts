import { readFile } from "node:fs/promises";
import type { Hono } from "hono";

/** Nothing from elsewhere, no script in the page itself, in no other page. */
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const FILES: { readonly [path: string]: readonly [file: string, type: string] } = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/login": ["index.html", "text/html; charset=utf-8"],
  "/assets/page.css": ["page.css", "text/css; charset=utf-8"],
  "/assets/page.js": ["page.js", "text/javascript; charset=utf-8"],
  "/assets/icon.svg": ["icon.svg", "image/svg+xml"],
};

/** The chat page, from its own folder. */
export function servePage(app: Hono): void {
  for (const [path, [file, type]] of Object.entries(FILES)) {
    app.get(path, async () => {
      const body = await readFile(new URL(`./page/${file}`, import.meta.url));
      return new Response(body, {
        headers: { "content-type": type, "content-security-policy": CSP, "cache-control": "no-cache" },
      });
    });
  }
}

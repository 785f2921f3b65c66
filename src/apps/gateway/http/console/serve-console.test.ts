import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { httpWorld } from "../../test/test-http.ts";
import { type ConsolePlace, serveConsole } from "./serve-console.ts";

const PAGE = `<!doctype html><title>Conduct</title>${"<p>console</p>".repeat(100)}`;
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "conduct-console-"));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), PAGE);
  writeFileSync(join(folder, "assets/index-abc.js"), "console.log(1);\n".repeat(100));
  writeFileSync(join(folder, "icon.svg"), "<svg/>");
  writeFileSync(join(folder, "manifest.json"), "{}");
  writeFileSync(join(folder, "..", "outside.txt"), "not for you");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function served(place: () => Promise<ConsolePlace> = async () => ({ folder })) {
  const app = new Hono();
  app.get("/api/health", (context) => context.json({ status: "ok" }));
  app.all("/api/*", (context) => context.json({ code: "NOT_FOUND" }, 404));
  serveConsole(app, place);
  return (path: string, headers: Record<string, string> = {}) => app.request(path, { headers });
}

describe("the console's files", () => {
  it.each([
    ["/", 200, "text/html"],
    ["/login", 200, "text/html"],
    ["/sessions/s_1", 200, "text/html"],
    ["/agents/my.agent", 200, "text/html"],
    ["/why/d_1%2F..", 200, "text/html"],
    ["/assets/index-abc.js", 200, "text/javascript"],
    ["/icon.svg", 200, "image/svg+xml"],
    ["/assets/index-old.js", 404, "text/plain"],
    ["/assets", 404, "text/plain"],
    ["/manifest.json", 404, "text/plain"],
    ["/favicon.ico", 404, "text/plain"],
    ["/api/nothing", 404, "application/json"],
    ["/assets/../../outside.txt", 404, "text/plain"],
    ["/assets/%2e%2e/%2e%2e/outside.txt", 404, "text/plain"],
    ["/..%2foutside.txt", 404, "text/plain"],
  ])("CS-1 GET %s is answered with %i as %s", async (path, status, type) => {
    const response = await served()(path);
    expect([response.status, response.headers.get("content-type")?.split(";")[0]]).toEqual([status, type]);
    expect(await response.text()).not.toContain("not for you");
  });

  it("CS-2 files with a hash in their name are cached forever; the page is revalidated", async () => {
    const get = served();
    expect((await get("/assets/index-abc.js")).headers.get("cache-control")).toBe(
      "public, max-age=31536000, immutable",
    );
    const page = await get("/contract");
    expect(page.headers.get("cache-control")).toBe("no-cache");
    const tag = page.headers.get("etag") ?? "";
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
    const again = await get("/contract", { "if-none-match": tag });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect((await get("/contract", { "if-none-match": 'W/"another"' })).status).toBe(200);
  });

  it("CS-3 files are compressed for clients that accept it, with the same content", async () => {
    const get = served();
    const packed = await get("/", { "accept-encoding": "gzip, br" });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    const body = new Response(packed.body?.pipeThrough(new DecompressionStream("gzip") as never));
    expect(await body.text()).toBe(PAGE);
    expect((await get("/")).headers.get("content-encoding")).toBeNull();
  });

  it("CS-4 the CSP allows nothing inline, nothing external and no embedding", async () => {
    const { headers } = await served()("/");
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect([headers.get("x-content-type-options"), headers.get("referrer-policy")]).toEqual(["nosniff", "no-referrer"]);
  });

  it("CS-5 without a build the page explains how to build, the API works, and a later build is found", async () => {
    let place: ConsolePlace = { missing: "vite is not installed" };
    const get = served(async () => place);
    const page = await get("/");
    expect(page.status).toBe(503);
    expect(await page.text()).toMatch(/vite is not installed[\s\S]*npm run build:console/);
    expect((await get("/api/health")).status).toBe(200);
    place = { folder };
    expect((await get("/")).status).toBe(200);
  });
});

describe("the gateway's console", () => {
  it("CS-6 the console is built from its sources and served by a real gateway without external files", async () => {
    const world = await httpWorld();
    try {
      const page = await fetch(`${world.gateway.url}/chat/s_1`);
      const html = await page.text();
      expect(page.status).toBe(200);
      const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = ""]) => path);
      expect(files.length).toBeGreaterThan(2);
      for (const file of files)
        expect([file, (await fetch(`${world.gateway.url}${file}`)).status]).toEqual([file, 200]);
      expect(html).not.toMatch(/<style|<script(?![^>]*\bsrc=)|https?:/);
      expect(readFileSync(new URL("../../../../../.gitignore", import.meta.url), "utf8")).toContain("dist/");
    } finally {
      await world.close();
    }
  });
});

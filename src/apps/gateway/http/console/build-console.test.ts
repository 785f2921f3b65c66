import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { consolePlaces, hashSources, readyConsole } from "./build-console.ts";

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true, maxRetries: 3 });
});

/** A package with a console of two files. */
function place(): string {
  const root = mkdtempSync(join(tmpdir(), "conduct-build-"));
  roots.push(root);
  mkdirSync(join(root, "console/src"), { recursive: true });
  mkdirSync(join(root, "src/apps/gateway"), { recursive: true });
  writeFileSync(join(root, "console/index.html"), "<p>");
  writeFileSync(join(root, "console/src/main.tsx"), "1");
  writeFileSync(join(root, "src/apps/gateway/client.ts"), "2");
  return root;
}

/** Builds nothing but a page, and counts. */
function builder() {
  let times = 0;
  return {
    times: () => times,
    build: async (_root: string, out: string) => {
      times += 1;
      mkdirSync(out, { recursive: true });
      writeFileSync(join(out, "index.html"), `build ${times}`);
      return undefined;
    },
  };
}

describe("building the console", () => {
  it("CB-1 the console is built once for the same sources, with a message, and again after a change", async () => {
    const root = place();
    const { build, times } = builder();
    let said = 0;
    const ready = () => readyConsole({ root, build, building: () => (said += 1) });
    expect(await ready()).toMatchObject({ kind: "ready", built: true });
    expect(await ready()).toMatchObject({ kind: "ready", built: false });
    expect([times(), said]).toEqual([1, 1]);
    for (const file of ["console/src/main.tsx", "src/apps/gateway/client.ts", "console/src/new.css"]) {
      writeFileSync(join(root, file), `${file} is new`);
      expect(await ready()).toMatchObject({ kind: "ready", built: true });
    }
    expect([times(), said]).toEqual([4, 4]);
  });

  it("CB-2 equal sources give equal build names, wherever they are", async () => {
    const [one, other] = [place(), place()];
    expect(await hashSources(one)).toBe(await hashSources(other));
    writeFileSync(join(other, "console/src/main.tsx"), "11");
    expect(await hashSources(one)).not.toBe(await hashSources(other));
  });

  it("CB-3 two concurrent starts both get a complete build", async () => {
    const root = place();
    const { build } = builder();
    const both = await Promise.all([readyConsole({ root, build }), readyConsole({ root, build })]);
    for (const one of both) {
      if (one.kind !== "ready") throw new Error(one.message);
      expect(readFileSync(join(one.folder, "index.html"), "utf8")).toMatch(/^build/);
    }
    expect(readdirSync(join(root, ".cache/console"))).toHaveLength(1);
  });

  it("CB-4 a failed build is reported once, an older build is served, and no partial build remains", async () => {
    const root = place();
    const failing = async (_root: string, out: string) => {
      mkdirSync(out, { recursive: true });
      writeFileSync(join(out, "index.html"), "half");
      return "a comma is missing";
    };
    expect(await readyConsole({ root, build: failing })).toEqual({
      kind: "failed",
      message: "a comma is missing",
      fix: expect.stringContaining("build:console"),
    });
    expect(readdirSync(join(root, ".cache/console"))).toEqual([]);
    await readyConsole({ root, build: builder().build });
    writeFileSync(join(root, "console/src/main.tsx"), "worse");
    const after = await readyConsole({ root, build: failing });
    expect(after).toMatchObject({ kind: "failed", folder: expect.any(String) });
  });

  it("CB-5 without vite the gateway shows a message and does not crash", async () => {
    const found = await readyConsole({ root: place() });
    expect(found).toMatchObject({
      kind: "failed",
      message: expect.stringContaining("vite"),
      fix: expect.stringContaining("npm install"),
    });
  });

  it("CB-6 a package without sources serves its own build", async () => {
    const root = place();
    rmSync(join(root, "console"), { recursive: true });
    expect(await readyConsole({ root })).toMatchObject({ kind: "failed", fix: "reinstall Conduct" });
    const folder = join(root, "dist", "console");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "index.html"), "");
    expect(await readyConsole({ root })).toEqual({ kind: "ready", folder, built: false });
  });

  it("CB-7 old builds are deleted; recent ones stay for processes that serve them", async () => {
    const root = place();
    const { build } = builder();
    const first = await readyConsole({ root, build });
    writeFileSync(join(root, "console/src/main.tsx"), "2");
    const second = await readyConsole({ root, build });
    if (first.kind !== "ready" || second.kind !== "ready") throw new Error("not built");
    const long = new Date(Date.now() - 48 * 3_600_000);
    utimesSync(join(first.folder, "index.html"), long, long);
    writeFileSync(join(root, "console/src/main.tsx"), "3");
    await readyConsole({ root, build });
    expect([existsSync(first.folder), existsSync(second.folder)]).toEqual([false, true]);
  });
});

type Chunk = {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly isEntry?: boolean;
  readonly src?: string;
};

describe("what the browser loads", () => {
  it("CB-8 the first screen needs less than 110 kB of compressed JavaScript; other screens load on demand", async () => {
    const built = await consolePlaces(() => undefined)();
    if (!("folder" in built)) throw new Error(built.missing);
    const manifest = JSON.parse(readFileSync(join(built.folder, "manifest.json"), "utf8")) as {
      readonly [key: string]: Chunk;
    };
    const files = new Set<string>();
    const take = (key: string) => {
      const chunk = manifest[key];
      if (chunk === undefined || files.has(chunk.file)) return;
      files.add(chunk.file);
      for (const one of chunk.imports ?? []) take(one);
    };
    take("index.html");
    take("src/screens/overview/index.tsx");
    const kilobytes =
      [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(built.folder, file))).length, 0) / 1_000;
    expect(files.size).toBeGreaterThanOrEqual(2);
    expect(kilobytes).toBeLessThan(110);
    for (const lazy of ["rules", "sessions", "prompt", "chat"])
      expect(files).not.toContain(manifest[`src/screens/${lazy}/index.tsx`]?.file);
  }, 120_000);

  it("CB-9 the bundle contains only the gateway's client, and no way to turn text into markup", async () => {
    const built = await consolePlaces(() => undefined)();
    if (!("folder" in built)) throw new Error(built.missing);
    const scripts = readdirSync(join(built.folder, "assets")).filter((name) => name.endsWith(".js"));
    const all = scripts.map((name) => readFileSync(join(built.folder, "assets", name), "utf8")).join("\n");
    for (const foreign of ["ZodError", "node:fs", "better-sqlite", "kysely", "process.versions"])
      expect([foreign, all.includes(foreign)]).toEqual([foreign, false]);
    const root = new URL("../../../../../console/src", import.meta.url).pathname;
    const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
      (name) => /\.tsx?$/.test(name) && !name.includes(".test."),
    );
    const risky = sources.filter((name) =>
      /dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write|\beval\(/.test(
        readFileSync(join(root, name), "utf8"),
      ),
    );
    expect(risky).toEqual([]);
  }, 120_000);
});

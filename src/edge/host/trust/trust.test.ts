import { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../../base/kernel/canonical-json.ts";
import { trustStore } from "./trust.ts";

const A = sha256("a");
const B = sha256("b");

let root: string;
let home: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "conduct-trust-")));
  home = join(root, "home");
  await mkdir(join(root, "work"));
  await writeFile(join(root, "work/x.md"), "a");
});
afterEach(() => rm(root, { recursive: true, force: true }));

const work = (name: string) => join(root, "work", name);

describe("trustStore", () => {
  it("TR-1 a path is trusted with one content until revoked, and another store sees the change at once", async () => {
    const [one, other] = [trustStore(home), trustStore(home)];
    expect(await other.trusted(work("x.md"), A)).toBe(false);
    await one.trust([{ path: work("x.md"), sha256: A }]);
    expect(await other.trusted(work("x.md"), A)).toBe(true);
    expect(await other.trusted(work("x.md"), B)).toBe(false);
    expect(await other.trusted(work("y.md"), A)).toBe(false);
    expect(await other.list()).toEqual([{ path: work("x.md"), sha256: A, at: expect.stringMatching(/^\d{4}-/) }]);
    expect(await other.revoke(work("x.md"))).toEqual([work("x.md")]);
    expect(await one.trusted(work("x.md"), A)).toBe(false);
  });

  it("TR-2 the trust folder is 0700, its file 0600, and it contains no other file", async () => {
    await mkdir(home, { mode: 0o755 });
    await trustStore(home).trust([{ path: work("x.md"), sha256: A }]);
    expect((await stat(home)).mode & 0o777).toBe(0o700);
    expect((await stat(join(home, "trust.json"))).mode & 0o777).toBe(0o600);
    expect(await readdir(home)).toEqual(["trust.json"]);
  });

  it("TR-3 trust uses real paths, so a link and its target are one file", async () => {
    await symlink(work("x.md"), work("link.md"));
    const store = trustStore(home);
    await store.trust([{ path: work("link.md"), sha256: A }]);
    expect(await store.trusted(work("x.md"), A)).toBe(true);
    expect((await store.list()).map(({ path }) => path)).toEqual([work("x.md")]);
  });

  it("TR-4 revoking a folder's trust revokes everything below it and nothing else", async () => {
    const store = trustStore(home);
    const files = ["work/x.md", "work/deep/y.md", "work2/z.md"].map((name) => join(root, name));
    await store.trust(files.map((path) => ({ path, sha256: A })));
    expect(await store.revoke(join(root, "work"))).toEqual([work("deep/y.md"), work("x.md")]);
    expect((await store.list()).map(({ path }) => path)).toEqual([join(root, "work2/z.md")]);
  });

  it.each([
    ["", "it is not JSON"],
    ["{", "it is not JSON"],
    ['{"version":2,"files":{}}', "it has version 2, not 1"],
    ['{"version":1}', "it has no 'files'"],
    ['{"version":1,"files":{"x":{}}}', 'the entry "x" is not valid'],
    ['{"version":1,"files":{"/x":{"sha256":"zz","at":""}}}', 'the entry "/x" is not valid'],
  ])("TR-5 a corrupt trust file (%j) causes an error that names it, and is never overwritten", async (text, why) => {
    await mkdir(home, { mode: 0o700 });
    const file = join(home, "trust.json");
    await writeFile(file, text, { mode: 0o600 });
    const store = trustStore(home);
    const error = {
      code: "TRUST_CORRUPT",
      message: `${file} is invalid: ${why}; until it is repaired, nothing is trusted`,
    };
    await expect(store.trusted(work("x.md"), A)).rejects.toMatchObject(error);
    await expect(store.list()).rejects.toMatchObject(error);
    await expect(store.trust([{ path: work("x.md"), sha256: A }])).rejects.toMatchObject(error);
    await expect(store.revoke(work("x.md"))).rejects.toMatchObject(error);
    expect(await readFile(file, "utf8")).toBe(text);
    expect(await readdir(home)).toEqual(["trust.json"]);
  });

  it("TR-6 a trust file that others can write, or a link, is rejected", async () => {
    const store = trustStore(home);
    await store.trust([{ path: work("x.md"), sha256: A }]);
    await chmod(store.file, 0o666);
    await expect(store.trusted(work("x.md"), A)).rejects.toMatchObject({ code: "TRUST_UNSAFE" });
    await rm(store.file);
    await symlink(work("x.md"), store.file);
    await expect(store.trusted(work("x.md"), A)).rejects.toMatchObject({ code: "TRUST_UNSAFE" });
  });

  it("TR-7 concurrent writers of the trust file in one or several processes lose nothing", async () => {
    const script = `const { trustStore } = await import(${JSON.stringify(join(import.meta.dirname, "trust.ts"))});
      for (let n = 0; n < 10; n++) await trustStore(process.argv[1]).trust([{ path: process.argv[2] + n, sha256: ${JSON.stringify(A)} }]);`;
    const child = (name: string) =>
      new Promise((resolve) => {
        const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", script, home, work(name)];
        spawn(process.execPath, args, { stdio: "inherit" }).on("exit", resolve);
      });
    const own = Array.from({ length: 10 }, (_, n) => trustStore(home).trust([{ path: work(`own${n}`), sha256: A }]));
    expect(await Promise.all([child("p"), child("q"), ...own])).toEqual([0, 0, ...own.map(() => undefined)]);
    expect(await trustStore(home).list()).toHaveLength(30);
  });

  it("TR-8 the trust lock of an exited process is taken over", async () => {
    await mkdir(home, { mode: 0o700 });
    const gone = spawn(process.execPath, ["-e", ""]);
    await new Promise((resolve) => gone.on("exit", resolve));
    await writeFile(join(home, "trust.json.lock"), String(gone.pid));
    await trustStore(home).trust([{ path: work("x.md"), sha256: A }]);
    expect(await readdir(home)).toEqual(["trust.json"]);
  });
});

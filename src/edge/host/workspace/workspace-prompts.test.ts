import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../../base/kernel/canonical-json.ts";
import type { Fault } from "../../../base/words/event.ts";
import type { ContributorContext } from "../../../base/words/prompt.ts";
import { type TrustStore, trustStore } from "../trust/trust.ts";
import { workspacePrompts } from "./workspace-prompts.ts";

let root: string;
let workspace: string;
let store: TrustStore;
let prompts: ReturnType<typeof workspacePrompts> | undefined;
let faults: Fault[];
let heard: (() => void) | undefined;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "conduct-prompts-")));
  workspace = join(root, "work");
  await mkdir(join(workspace, ".agents/prompts"), { recursive: true });
  store = trustStore(join(root, "home"));
  faults = [];
});
afterEach(async () => {
  prompts?.close();
  prompts = undefined;
  await rm(root, { recursive: true, force: true });
});

const at = (name: string) => join(workspace, ".agents/prompts", name);
const trust = (name: string, text: string) => store.trust([{ path: at(name), sha256: sha256(text) }]);

/** In one go: the watcher may look at any time, and a file that is half written is a broken one. */
async function edit(name: string, text: string): Promise<void> {
  await writeFile(join(root, "draft"), text);
  await rename(join(root, "draft"), at(name));
}

async function put(name: string, text: string): Promise<void> {
  await edit(name, text);
  await trust(name, text);
}

function open(): ReturnType<typeof workspacePrompts> {
  prompts = workspacePrompts({
    workspace,
    trust: store,
    report: (fault) => {
      faults.push(fault);
      heard?.();
    },
  });
  return prompts;
}

/** What is in force, as id and content; and what was told since the last time. */
async function now(): Promise<{ used: readonly string[]; told: readonly string[] }> {
  const used = (await (prompts ?? open()).current()).map(
    ({ id, contribute }) => `${id}: ${contribute({} as ContributorContext)?.content}`,
  );
  const told = faults.splice(0).map(({ where, code }) => `${where} ${code}`);
  return { used, told };
}

const P = ".agents/prompts";

describe("workspacePrompts", () => {
  it("WP-1 a prompt file has no effect until it is trusted, and is in the next prompt after that", async () => {
    await writeFile(
      at("a.md"),
      "---\ntags: [{ dimension: domain, value: security }]\npriority: 50\n---\nBe careful.\n",
    );
    open();
    expect(await now()).toEqual({ used: [], told: [`${P}/a.md:1 prompt-untrusted`] });
    await trust("a.md", "---\ntags: [{ dimension: domain, value: security }]\npriority: 50\n---\nBe careful.\n");
    expect(await now()).toEqual({ used: ["workspace:a: Be careful."], told: [] });
    expect((await prompts?.current())?.[0]).toMatchObject({
      tags: [{ dimension: "domain", value: "security" }],
      priority: 50,
    });
  });

  it("WP-2 an edit revokes a file's trust and is reported once with its first line; new trust restores it", async () => {
    await put("a.md", "one\ntwo\n");
    expect(await now()).toEqual({ used: ["workspace:a: one\ntwo"], told: [] });
    await edit("a.md", "one\n2wo\n");
    expect(await now()).toEqual({ used: [], told: [`${P}/a.md:2 prompt-changed`] });
    expect(await now()).toEqual({ used: [], told: [] });
    await edit("a.md", "1ne\n2wo\n");
    expect(await now()).toEqual({ used: [], told: [`${P}/a.md:1 prompt-changed`] });
    await trust("a.md", "1ne\n2wo\n");
    expect(await now()).toEqual({ used: ["workspace:a: 1ne\n2wo"], told: [] });
    await store.revoke(workspace);
    expect(await now()).toEqual({ used: [], told: [`${P}/a.md:1 prompt-untrusted`] });
  });

  it("WP-3 a change that leaves size and time the same is detected", async () => {
    const old = new Date("2020-01-01");
    await put("a.md", "aaa");
    await utimes(at("a.md"), old, old);
    expect((await now()).used).toEqual(["workspace:a: aaa"]);
    await writeFile(at("a.md"), "bbb");
    await utimes(at("a.md"), old, old);
    await trust("a.md", "bbb");
    expect((await now()).used).toEqual(["workspace:a: bbb"]);
    await writeFile(at("new"), "ccc");
    await utimes(at("new"), old, old);
    await rename(at("new"), at("a.md"));
    expect(await now()).toEqual({ used: [], told: [`${P}/a.md:1 prompt-changed`] });
  });

  it("WP-4 a broken prompt file is ignored alone and reported once with its line and a hint", async () => {
    await put("a.md", "A");
    await put("b.md", "---\ntag: []\npriority: x\n---\nB\n");
    await put("c.md", "C");
    open();
    await prompts?.current();
    expect(faults).toEqual([
      {
        where: `${P}/b.md:2`,
        code: "prompt-broken",
        message: "unknown key 'tag' (did you mean 'tags'?); it is left out",
      },
      { where: `${P}/b.md:3`, code: "prompt-broken", message: `'priority' must be a number, not "x"; it is left out` },
    ]);
    faults.length = 0;
    expect(await now()).toEqual({ used: ["workspace:a: A", "workspace:c: C"], told: [] });
    await put("b.md", "B");
    expect((await now()).used).toHaveLength(3);
    await put("b.md", "---\ntag: []\npriority: x\n---\nB\n");
    expect((await now()).told).toHaveLength(2);
  });

  it("WP-5 links out of the workspace, pipes, folders and non-text files are rejected; links inside are followed", async () => {
    await writeFile(join(root, "secret.md"), "secret");
    await symlink(join(root, "secret.md"), at("a.md"));
    await store.trust([{ path: join(root, "secret.md"), sha256: sha256("secret") }]);
    await writeFile(join(workspace, "inner.txt"), "inner");
    await symlink("../../inner.txt", at("b.md"));
    await trust("b.md", "inner");
    spawnSync("mkfifo", [at("c.md")]);
    await mkdir(at("d.md"));
    await writeFile(at("e.md"), Buffer.from([0xe9]));
    await symlink("nowhere", at("f.md"));
    await writeFile(at("g.md"), "x".repeat(80_001));
    expect(await now()).toEqual({
      used: ["workspace:b: inner"],
      told: ["a", "c", "d", "e", "f", "g"].map((name) => `${P}/${name}.md:1 prompt-unreadable`),
    });
    await writeFile(join(workspace, "inner.txt"), "other");
    expect(await now()).toEqual({ used: [], told: [`${P}/b.md:1 prompt-changed`] });
  });

  it("WP-6 a prompt folder that links out of the workspace is not read", async () => {
    await rm(join(workspace, ".agents"), { recursive: true });
    await mkdir(join(root, "outside/prompts"), { recursive: true });
    await writeFile(join(root, "outside/prompts/a.md"), "A");
    await store.trust([{ path: join(root, "outside/prompts/a.md"), sha256: sha256("A") }]);
    await symlink(join(root, "outside"), join(workspace, ".agents"));
    expect(await now()).toEqual({ used: [], told: [`${P} prompt-folder`] });
  });

  it("WP-7 of two files with the same id the first by name is used, and the other is reported", async () => {
    await put("b.md", "---\npriority: 1\nid: same\n---\nB\n");
    await put("a.md", "---\nid: same\n---\nA\n");
    expect(await now()).toEqual({ used: ["same: A"], told: [`${P}/b.md:3 prompt-id-taken`] });
    await rm(at("a.md"));
    expect(await now()).toEqual({ used: ["same: B"], told: [] });
  });

  it("WP-8 a prompt file that would exceed 60,000 characters in total is ignored", async () => {
    const long = "x".repeat(19_999);
    for (const name of ["a", "b", "c", "d"]) await put(`${name}.md`, long);
    await put("e.md", "E");
    expect((await now()).told).toEqual([`${P}/d.md:1 prompt-limit`]);
    expect((await now()).used).toHaveLength(4);
  });

  it("WP-9 of more than 200 prompt files the first by name are used, and a fault is reported", async () => {
    for (let n = 100; n < 301; n++) await writeFile(at(`${n}.md`), "z");
    await store.trust(Array.from({ length: 201 }, (_, n) => ({ path: at(`${n + 100}.md`), sha256: sha256("z") })));
    const { used, told } = await now();
    expect([used.length, told]).toEqual([200, [`${P} prompt-folder`]]);
  });

  it("WP-10 with an unsafe trust file nothing is trusted, and the file is named", async () => {
    await put("a.md", "A");
    open();
    expect((await now()).used).toHaveLength(1);
    await writeFile(store.file, "{");
    expect(await now()).toEqual({ used: [], told: [`${store.file} trust-unreadable`] });
  });

  it("WP-11 a missing prompt folder or workspace is not reported, and an unchanged list stays the same object", async () => {
    await rm(join(workspace, ".agents"), { recursive: true });
    expect(await now()).toEqual({ used: [], told: [] });
    await mkdir(join(workspace, ".agents/prompts"), { recursive: true });
    await put("a.md", "A");
    expect((await now()).used).toHaveLength(1);
    expect(await prompts?.current()).toBe(await prompts?.current());
    prompts?.close();
    prompts = workspacePrompts({ workspace: join(root, "none"), trust: store, report: (fault) => faults.push(fault) });
    expect(await now()).toEqual({ used: [], told: [] });
  });

  it("WP-12 concurrent reads each see everything that was written before them", async () => {
    open();
    for (let n = 0; n < 20; n++) {
      const before = prompts?.current();
      await put("a.md", `v${n}`);
      const [used, again] = await Promise.all([now(), now()]);
      expect(used.used).toEqual([`workspace:a: v${n}`]);
      expect(again.used).toEqual([`workspace:a: v${n}`]);
      await before;
    }
  });

  it("WP-13 an unusable file is reported after it is saved, without a prompt, even in a new folder", async () => {
    await rm(join(workspace, ".agents"), { recursive: true });
    open();
    await prompts?.current();
    const told = new Promise<void>((resolve) => {
      heard = resolve;
    });
    await mkdir(join(workspace, ".agents/prompts"), { recursive: true });
    await writeFile(at("a.md"), "---\nx: 1\n---\nA\n");
    await told;
    heard = undefined;
    expect(faults[0]).toMatchObject({ where: `${P}/a.md:2`, code: "prompt-broken" });
  });

  it("WP-15 watching prompt files does not keep the process alive", () => {
    const script = `const { workspacePrompts } = await import(${JSON.stringify(join(import.meta.dirname, "workspace-prompts.ts"))});
      const { trustStore } = await import(${JSON.stringify(join(import.meta.dirname, "../trust/trust.ts"))});
      const prompts = workspacePrompts({ workspace: process.argv[1], trust: trustStore(process.argv[2]), report() {} });
      await prompts.current();`;
    const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", script, workspace, root];
    expect(spawnSync(process.execPath, args, { timeout: 20_000 }).status).toBe(0);
  });
});

import { mkdir, mkdtemp, realpath, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Filesystem } from "../../../base/ports/filesystem.ts";
import { nodeFilesystem } from "./node-filesystem.ts";

let base: string;
let files: Filesystem;

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "conduct-fs-")));
  await mkdir(join(base, "root/dir/sub"), { recursive: true });
  await mkdir(join(base, "root-sibling"));
  await mkdir(join(base, "outside/deep"), { recursive: true });
  await Promise.all(
    ["root/a.txt", "root/dir/b.txt", "outside/x.txt", "root-sibling/s.txt"].map((at) => writeFile(join(base, at), at)),
  );
  const links = {
    "to-a": "a.txt",
    "to-outside": "../outside",
    "to-deep": join(base, "outside/deep"),
    "to-sub": "dir/sub",
    dangling: "../outside/new.txt",
    "dangling-in": "dir/new.txt",
    "dangling-dir": "../outside/none/at/all",
    "to-dangling": "dangling",
    loop: "loop-2",
    "loop-2": "loop",
    climb: "../../../../../../../../../../../etc",
  };
  await Promise.all(Object.entries(links).map(([name, target]) => symlink(target, join(base, "root", name))));
  await symlink("root", join(base, "root-link"));
  files = nodeFilesystem(join(base, "root"));
});

afterAll(() => rm(base, { recursive: true, force: true }));

const at = (path: string) => path.replace("BASE", base);

describe("nodeFilesystem", () => {
  it.each([
    ["a.txt", "BASE/root/a.txt", "inside", "exists"],
    ["./a.txt", "BASE/root/a.txt", "inside", "exists"],
    ["dir/../a.txt", "BASE/root/a.txt", "inside", "exists"],
    ["dir//sub/", "BASE/root/dir/sub", "inside", "exists"],
    ["BASE/root/a.txt", "BASE/root/a.txt", "inside", "exists"],
    ["BASE/root-link/a.txt", "BASE/root/a.txt", "inside", "exists"],
    ["", "BASE/root", "inside", "exists"],
    [".", "BASE/root", "inside", "exists"],
    ["..", "BASE", "outside", "exists"],
    ["../outside/x.txt", "BASE/outside/x.txt", "outside", "exists"],
    ["../root-sibling/s.txt", "BASE/root-sibling/s.txt", "outside", "exists"],
    ["../root/a.txt", "BASE/root/a.txt", "inside", "exists"],
    ["/", "/", "outside", "exists"],
    ["new.txt", "BASE/root/new.txt", "inside", "missing"],
    ["no/such/dir/new.txt", "BASE/root/no/such/dir/new.txt", "inside", "missing"],
    ["no/../a.txt", "BASE/root/a.txt", "inside", "exists"],
    ["no/../../outside/new.txt", "BASE/outside/new.txt", "outside", "missing"],
    ["a.txt/below", "BASE/root/a.txt/below", "inside", "missing"],
    ["to-a", "BASE/root/a.txt", "inside", "exists"],
    ["to-outside/x.txt", "BASE/outside/x.txt", "outside", "exists"],
    ["to-outside/new.txt", "BASE/outside/new.txt", "outside", "missing"],
    ["to-deep/new.txt", "BASE/outside/deep/new.txt", "outside", "missing"],
    ["no/../to-outside/new.txt", "BASE/outside/new.txt", "outside", "missing"],
    ["dangling", "BASE/outside/new.txt", "outside", "missing"],
    ["to-dangling", "BASE/outside/new.txt", "outside", "missing"],
    ["dangling-dir/f", "BASE/outside/none/at/all/f", "outside", "missing"],
    ["dangling-in", "BASE/root/dir/new.txt", "inside", "missing"],
    ["climb/none.txt", "/etc/none.txt", "outside", "missing"],
    // The system follows the link before `..`; a tool that tidies the text first opens another file.
    ["to-deep/../x.txt", "BASE/outside/x.txt", "outside", "exists"],
    ["to-sub/../b.txt", "BASE/root/dir/b.txt", "inside", "exists"],
    ["to-sub/../../a.txt", "BASE/root/a.txt", "outside", "exists"],
    ["~", homedir(), "outside", "exists"],
    ["~/none/x", `${homedir()}/none/x`, "outside", "missing"],
    ["~root", "BASE/root/~root", "inside", "missing"],
    ["file:///etc/passwd", "BASE/root/file:/etc/passwd", "inside", "missing"],
    ["Ä日本 '\"$(x)\n.txt", "BASE/root/Ä日本 '\"$(x)\n.txt", "inside", "missing"],
    ["A.TXT/../a.txt", "BASE/root/a.txt", "inside", "exists"],
  ])("FS-1 the path %s resolves to %s, %s, %s", async (given, resolved, where, whether) => {
    expect(await files.look(at(given))).toMatchObject({
      resolved: at(resolved),
      inside: where === "inside",
      exists: whether === "exists",
    });
  });

  it.each([
    { given: "a\0.txt", error: /NUL/ },
    { given: "loop", error: /ELOOP/ },
    { given: "loop/x.txt", error: /ELOOP/ },
    { given: "no/../loop/x.txt", error: /ELOOP|symbolic links/ },
    { given: "x".repeat(5_000), error: /ENAMETOOLONG/ },
  ])("FS-2 a path that cannot be resolved is rejected with $error", async ({ given, error }) => {
    await expect(files.look(given)).rejects.toThrow(error);
  });

  it("FS-3 only regular files have a version, and the version changes with time, size and inode", async () => {
    const path = join(base, "root/v.txt");
    const version = async () => (await files.look("v.txt")).version;
    const seen = [await version()];
    await writeFile(path, "one");
    await utimes(path, 1, 1);
    seen.push(await version());
    expect(await version()).toBe(seen[1]);
    await utimes(path, 1, 2);
    seen.push(await version());
    await writeFile(path, "three");
    await utimes(path, 1, 2);
    seen.push(await version());
    await writeFile(`${path}.new`, "three");
    await utimes(`${path}.new`, 1, 2);
    await rename(`${path}.new`, path);
    seen.push(await version());
    expect(seen[0]).toBeUndefined();
    expect(new Set(seen).size).toBe(5);
    expect("version" in (await files.look("dir"))).toBe(false);
    expect((await files.look("/dev/null")).version).toBeUndefined();
    expect((await files.look("to-a")).version).toBe((await files.look("a.txt")).version);
  });

  it("FS-7 the machine's temporary files count as such only if the host says so, and not next to a temporary workspace", async () => {
    const own = nodeFilesystem("/usr", { temporary: true });
    expect(await own.look("/tmp/conduct-none")).toMatchObject({ inside: false, temporary: true });
    expect(await own.look("/tmp/../etc/hosts")).not.toHaveProperty("temporary");
    expect(await nodeFilesystem("/usr").look("/tmp/conduct-none")).not.toHaveProperty("temporary");
    const nested = nodeFilesystem("/tmp/conduct-none/work", { temporary: true });
    expect(await nested.look("/tmp/conduct-none/other")).not.toHaveProperty("temporary");
  });

  it("FS-4 a relative root is made absolute; a root may be a link or not exist yet", async () => {
    expect(nodeFilesystem(".").root).toBe(process.cwd());
    expect(await nodeFilesystem(join(base, "root-link")).look("a.txt")).toMatchObject({ inside: true, exists: true });
    const later = nodeFilesystem(join(base, "later"));
    expect(await later.look("f")).toMatchObject({ resolved: join(base, "later/f"), inside: true, exists: false });
    await mkdir(join(base, "later"));
    await writeFile(join(base, "later/f"), "");
    expect(await later.look("f")).toMatchObject({ inside: true, exists: true });
    expect(await nodeFilesystem("/").look("/etc")).toMatchObject({ inside: true });
  });

  it("FS-5 if the root is replaced by a link, its target does not count as inside", async () => {
    await mkdir(join(base, "swap"));
    const swapped = nodeFilesystem(join(base, "swap"));
    expect((await swapped.look("x.txt")).inside).toBe(true);
    await rm(join(base, "swap"), { recursive: true });
    await symlink("outside", join(base, "swap"));
    expect(await swapped.look("x.txt")).toMatchObject({ resolved: join(base, "outside/x.txt"), inside: false });
  });

  it.each(["a.txt", "a\0.txt"])("FS-6 an aborted signal rejects before any file is read", async (path) => {
    await expect(files.look(path, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  });
});

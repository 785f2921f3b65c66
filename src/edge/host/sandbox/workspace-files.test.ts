import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type WorkspaceFiles, workspaceFiles } from "./workspace-files.ts";

let top: string;
let root: string;
let outside: string;
let files: WorkspaceFiles;

beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), "conduct-files-"));
  [root, outside] = [join(top, "work"), join(top, "outside")];
  mkdirSync(join(root, "real"), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(outside, "a.txt"), "secret");
  writeFileSync(join(root, "real", "a.txt"), "mine");
  const links = {
    file: join(outside, "a.txt"),
    dir: outside,
    up: "../outside",
    "real/far": "../../outside/a.txt",
    inside: "real/a.txt",
    whole: join(root, "real"),
    "real/back": "../real/a.txt",
    circle: "circle",
    zero: "/dev/zero",
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
  execFileSync("mkfifo", [join(root, "pipe")]);
  writeFileSync(join(root, "huge"), "");
  truncateSync(join(root, "huge"), 5 * 1024 ** 3);
  files = workspaceFiles(root);
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

describe("workspaceFiles", () => {
  it.each([
    ["real/a.txt", "mine"],
    ["./real/../real/a.txt", "mine"],
    ["inside", "mine"],
    ["whole/a.txt", "mine"],
    ["real/back", "mine"],
  ])("SBX-10 a file inside the workspace can be read: %s", async (path, text) => {
    expect(await files.read(path)).toEqual({ text, isCut: false });
    expect(await files.read(join(root, path))).toEqual({ text, isCut: false });
  });

  it.each([
    ["file", "outside your folder"],
    ["dir/a.txt", "outside your folder"],
    ["up/a.txt", "outside your folder"],
    ["real/far", "outside your folder"],
    ["../outside/a.txt", "outside your folder"],
    ["/etc/hostname", "outside your folder"],
    ["zero", "outside your folder"],
    ["circle", "symlink loop"],
    ["pipe", "not a regular file"],
    ["real", "a folder"],
    ["", "a folder"],
    ["real/a.txt/b", "there is no"],
    ["no/such", "there is no"],
    ["a\0b", "NUL byte"],
  ])(
    "SBX-11 a path that is no regular file inside the workspace can be neither read nor written: %s",
    async (path, message) => {
      await expect(files.read(path)).rejects.toThrow(message);
      if (path === "no/such") return;
      await expect(files.write(path, "owned")).rejects.toThrow(message === "symlink loop" ? message : /./);
      expect(readFileSync(join(outside, "a.txt"), "utf8")).toBe("secret");
    },
  );

  it("SBX-12 writing creates folders and files, and replaces existing files", async () => {
    await files.write("new/deep/b.txt", "a long first text");
    await files.write("whole/../new/deep/b.txt", "short");
    expect(readFileSync(join(root, "new/deep/b.txt"), "utf8")).toBe("short");
  });

  it("SBX-13 a huge file is read up to 8 MiB", async () => {
    const { text, isCut } = await files.read("huge");
    expect([text.length, isCut]).toEqual([8 * 1024 * 1024, true]);
  });

  it("SBX-14 the file list has regular files and follows no link", async () => {
    mkdirSync(join(root, "node_modules/x"), { recursive: true });
    writeFileSync(join(root, "node_modules/x/i.js"), "");
    expect((await files.list()).files.filter((path) => !path.startsWith("new"))).toEqual(["huge", "real/a.txt"]);
  });

  it.skipIf(process.platform !== "linux")(
    "SBX-15 a folder that is constantly swapped for a link exposes nothing",
    async () => {
      const flip = `const fs = require("fs");
      for (;;) {
        try { fs.rmSync("swapped", { recursive: true, force: true }); fs.symlinkSync(${JSON.stringify("OUT")}, "swapped"); } catch {}
        for (let spin = Math.random() * 300_000; spin > 0; spin--);
        try { fs.unlinkSync("swapped"); fs.mkdirSync("swapped"); fs.writeFileSync("swapped/a.txt", "mine"); } catch {}
        for (let spin = Math.random() * 300_000; spin > 0; spin--);
      }`.replace("OUT", outside);
      const racer = spawn(process.execPath, ["-e", flip], { cwd: root, stdio: "ignore" });
      try {
        await expect.poll(() => existsSync(join(root, "swapped")), { timeout: 20_000 }).toBe(true);
        const read = new Set<string>();
        let written = 0;
        for (let round = 0; round < 1_500; round++) {
          read.add(
            await files.read("swapped/a.txt").then(
              ({ text }) => text,
              () => "refused",
            ),
          );
          await files.write("swapped/a.txt", "mine").then(
            () => written++,
            () => undefined,
          );
        }
        expect(read).not.toContain("secret");
        expect(read.size).toBeGreaterThan(1);
        expect(written).toBeGreaterThan(0);
        expect(readFileSync(join(outside, "a.txt"), "utf8")).toBe("secret");
        expect(readdirSync(outside)).toEqual(["a.txt"]);
      } finally {
        racer.kill("SIGKILL");
      }
    },
  );
});

import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfigFile } from "./load-config.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "conduct-config-"));
  await mkdir(join(folder, "dir"));
  await writeFile(join(folder, "good.yaml"), "agents: { a: {} }\n");
  await writeFile(join(folder, "latin.yaml"), Buffer.from([0x61, 0xe9, 0x0a]));
  await writeFile(join(folder, "large.yaml"), "#".repeat(1_000_001));
  spawnSync("mkfifo", [join(folder, "pipe")]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("loadConfigFile", () => {
  it("LC-1 gives the text and what it says", async () => {
    const loaded = await loadConfigFile(join(folder, "good.yaml"), "good.yaml");
    if ("error" in loaded || "faults" in loaded.parsed) throw new Error("it cannot be read");
    expect(loaded.text).toBe("agents: { a: {} }\n");
    expect(loaded.parsed.agents.map(({ name }) => name)).toEqual(["a"]);
  });

  it.each([
    ["none.yaml", "CONFIG_NOT_FOUND", "there is no x.yaml"],
    ["good.yaml/below", "CONFIG_NOT_FOUND", "there is no x.yaml"],
    ["dir", "CONFIG_NOT_A_FILE", "x.yaml is a folder"],
    ["pipe", "CONFIG_NOT_A_FILE", "x.yaml is not a regular file"],
    ["latin.yaml", "CONFIG_NOT_UTF8", "x.yaml is not UTF-8 text"],
    ["large.yaml", "CONFIG_TOO_LARGE", "x.yaml is larger than 1 MB"],
    ["a\0b", "CONFIG_UNREADABLE", "x.yaml cannot be read: ERR_INVALID_ARG_VALUE"],
  ])("LC-2 %j is %s", async (name, code, message) => {
    const loaded = await loadConfigFile(join(folder, name), "x.yaml");
    expect(loaded).toMatchObject({ error: { code, message } });
  });
});

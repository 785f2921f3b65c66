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
  it("LC-1 loading a config file returns its text and the parsed content", async () => {
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
  ])("LC-2 the config file %j is rejected with %s", async (name, code, message) => {
    const loaded = await loadConfigFile(join(folder, name), "x.yaml");
    expect(loaded).toMatchObject({ error: { code, message } });
  });
});

describe("the files that a conduct.yaml names", () => {
  it("LC-3 soul, contents and skills are read relative to the conduct.yaml that names them", async () => {
    await mkdir(join(folder, "skills/release"), { recursive: true });
    const skill = "---\nname: release\ndescription: How to release.\n---\nDo it.\n";
    await writeFile(join(folder, "skills/release/SKILL.md"), skill);
    await writeFile(join(folder, "soul.md"), "\uFEFFBe useful.\r\n");
    await writeFile(
      join(folder, "told.yaml"),
      "agents:\n  a:\n    soul: soul.md\n    prompt: { skills: [./skills/release/] }\n    promptContributors: [{ id: x, content: ./soul.md }]\n",
    );
    const loaded = await loadConfigFile(join(folder, "told.yaml"), "told.yaml");
    if ("error" in loaded || "faults" in loaded.parsed) throw new Error(JSON.stringify(loaded));
    const [agent] = loaded.parsed.agents;
    expect(agent?.soul).toBe("Be useful.");
    expect(agent?.prompt.skills).toEqual([
      { name: "release", description: "How to release.", path: join(folder, "skills/release/SKILL.md") },
    ]);
    expect([...loaded.files.keys()]).toEqual(
      ["told.yaml", "soul.md", "soul.md", "skills/release/SKILL.md"]
        .filter((name, at, all) => all.indexOf(name) === at)
        .map((name) => join(folder, name)),
    );
  });

  it.each([
    ["soul: ./none.md", "there is no none.md", "name an existing file, or create it"],
    ["soul: ./dir", "dir is a folder", "name the file in it"],
    ["soul: /none/x", "there is no /none/x", "name an existing file, or create it"],
    ["prompt: { skills: [./dir] }", "there is no dir/SKILL.md", "use a folder that contains SKILL.md"],
    ["promptContributors: [{ id: x, content: ./latin.yaml }]", "latin.yaml is not UTF-8 text", "save it as UTF-8"],
  ])("LC-4 %s is reported at its line in conduct.yaml", async (body, message, hint) => {
    await writeFile(join(folder, "told.yaml"), `agents:\n  a:\n    ${body}\n`);
    const loaded = await loadConfigFile(join(folder, "told.yaml"), "told.yaml");
    if ("error" in loaded || !("faults" in loaded.parsed)) throw new Error("it was taken");
    const [fault, ...more] = loaded.parsed.faults;
    expect([fault?.file, fault?.line, fault?.message, more]).toEqual(["told.yaml", 3, message, []]);
    expect(fault?.hint).toContain(hint);
  });
});

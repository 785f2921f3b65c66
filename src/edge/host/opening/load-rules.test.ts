import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RulesPolicy } from "../../../behavior/policy/rules/rules-policy.ts";
import { loadConfigFile } from "./load-config.ts";
import { findRules, loadRules, readCases } from "./load-rules.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "conduct-rules-"));
  await mkdir(join(folder, "mine"));
  await mkdir(join(folder, "packs/ops"), { recursive: true });
  await mkdir(join(folder, "below"));
  const rules = "rules: [{ id: a, on: shell, require: fetch }]\n";
  await writeFile(join(folder, "mine/rules.yaml"), rules);
  await writeFile(join(folder, "mine/cases.yaml"), "one");
  await writeFile(join(folder, "mine/rules.cases.yaml"), "two");
  await writeFile(join(folder, "one.yaml"), rules);
  await writeFile(join(folder, "below/conduct.yaml"), "agents: { a: { rules: [../mine, packs/coding] } }\n");
  await writeFile(join(folder, "below/bad.yaml"), "agents: { a: { rules: [../none.yaml, ../packs/ops] } }\n");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("rule files", () => {
  it.each([
    ["one.yaml", { path: "one.yaml", shown: "conf/one.yaml" }],
    ["./mine", { path: "mine/rules.yaml", shown: "conf/mine/rules.yaml" }],
    ["mine/", { path: "mine/rules.yaml", shown: "conf/mine/rules.yaml" }],
    ["./packs/ops", { path: "packs/ops/rules.yaml", shown: "conf/packs/ops/rules.yaml" }],
  ])("LR-1 the rule file %s is found relative to the file that names it", async (reference, { path, shown }) => {
    expect(await findRules(reference, folder, "conf")).toEqual({ path: join(folder, path), shown });
  });

  it("LR-2 shipped packs are found from every folder", async () => {
    expect(await findRules("packs/coding", folder, "")).toMatchObject({ shown: "packs/coding/rules.yaml" });
  });

  it("LR-3 a pack name that is also a local folder is rejected, so an agent cannot shadow a shipped pack", async () => {
    expect(await findRules("packs/ops", folder, "")).toEqual({
      fault: {
        message: "'packs/ops' is both a folder here and a pack shipped with Conduct",
        hint: "write './packs/ops' for the folder, or rename it",
      },
    });
  });

  it.each([
    ["none.yaml", { code: "RULES_NOT_FOUND", message: "there is no none.yaml" }],
    ["packs/none", { code: "RULES_NOT_FOUND", message: "there is no packs/none" }],
    ["below", { code: "RULES_NOT_FOUND", message: "there is no below/rules.yaml" }],
    ["packs/../packs/ops", { code: "RULES_NOT_FOUND", message: "there is no packs/ops/rules.yaml" }],
  ])("LR-4 a missing rule file is reported: %s", async (reference, error) => {
    expect(await loadRules(reference, folder)).toMatchObject({ error });
  });

  it("LR-5 a rule file's own cases come before those of its folder", async () => {
    const found = await findRules("mine", folder, "");
    if ("fault" in found) throw new Error("not found");
    expect(await readCases(found)).toMatchObject({ shown: "mine/rules.cases.yaml", text: "two" });
    await rm(join(folder, "mine/rules.cases.yaml"));
    expect(await readCases(found)).toMatchObject({ shown: "mine/cases.yaml", text: "one" });
  });

  it("LR-6 rule files in conduct.yaml are relative to it and become one policy", async () => {
    const loaded = await loadConfigFile(join(folder, "below/conduct.yaml"), "below/conduct.yaml");
    if ("error" in loaded || "faults" in loaded.parsed) throw new Error(JSON.stringify(loaded));
    expect([...loaded.texts.keys()]).toEqual(["below/conduct.yaml", "mine/rules.yaml", "packs/coding/rules.yaml"]);
    const [policy, ...more] = loaded.parsed.agents[0]?.policies ?? [];
    expect(more).toEqual([]);
    expect(policy instanceof RulesPolicy && policy.rules.ruleSet.rules[0]).toMatchObject({
      id: "a",
      place: { file: "mine/rules.yaml", line: 1 },
    });
  });

  it("LR-7 a missing rule file is reported at the line that names it", async () => {
    const loaded = await loadConfigFile(join(folder, "below/bad.yaml"), "bad.yaml");
    if ("error" in loaded || !("faults" in loaded.parsed)) throw new Error("no faults");
    expect(loaded.parsed.faults.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual([
      "1:24 there is no ../none.yaml",
      "1:38 there is no ../packs/ops/rules.yaml",
    ]);
  });
});

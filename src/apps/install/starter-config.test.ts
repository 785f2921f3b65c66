import { describe, expect, it } from "vitest";
import { loadConfigText } from "../../edge/host/opening/load-config.ts";
import { STARTER_CONFIG } from "./starter-config.ts";

describe("the first conduct.yaml", () => {
  it("INS-70 the starter conduct.yaml is valid, and gives one agent the coding pack", async () => {
    const { parsed } = await loadConfigText(STARTER_CONFIG, "/home/conduct.yaml");
    expect(parsed).toMatchObject({ agents: [{ name: "coding" }] });
  });

  it("INS-71 the starter conduct.yaml is also valid with every suggested line enabled", async () => {
    const all = STARTER_CONFIG.replace(/^( +)# ((?:- |[\w-]+:| {2}).*)$/gm, "$1$2");
    expect(all.match(/^ *# /gm)?.length ?? 0).toBeLessThan(STARTER_CONFIG.match(/^ *# /gm)?.length ?? 0);
    const { parsed } = await loadConfigText(all, "/home/conduct.yaml");
    expect("faults" in parsed ? parsed.faults : []).toEqual([]);
    expect(parsed).toMatchObject({
      agents: [{ name: "coding", limits: { calls: 500 }, actions: { "publish-site": {} } }],
    });
  });
});

import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine({ SCRIPTED_KEY: "provider-key" });

/** What people wished; the review makes a candidate of each. */
const WISHES = ["sending status reports", "using long words", "writing poems", "sending tables", "adding jokes"];

const run = async (line: string, ...words: readonly string[]) => {
  const { out, err } = await machine.conduct([...line.split(" "), ...words]);
  return `${out}${err}`;
};
const waiting = async () => run("review list");
/** The id of the waiting candidate with this text. */
const idOf = async (text: string) => new RegExp(`${text}[^\\n]*\\s+(c_\\w+)`).exec(await waiting())?.[1] ?? "none";

beforeAll(async () => {
  const model = await machine.model(() => ({ text: "done" }));
  const own = `own/scripted: { baseUrl: "${model.openaiUrl}", api: openai-completions, key: SCRIPTED_KEY }`;
  machine.write({ ".conduct/conduct.yaml": `agents: { clerk: { model: own/scripted } }\nmodels: { ${own} }\n` });
  await run("behavior add", "STOP: measured habits", "--check", "length: at most 50 words");
  const gateway = await machine.gateway();
  const ann = await gateway.person("ann");
  for (const wish of WISHES) await gateway.say("clerk", `Please stop ${wish}.`, ann);
  await gateway.close();
});
afterAll(() => machine.close());

describe("options of the commands on the review and its candidates", () => {
  wired("conduct review run --dry-run", "WIR-400 a dry run shows the proposals and stores none", async () => {
    // Events reach the store a moment after the turn that they are about.
    const proposed = async () => {
      const shown = await run("review run", "--dry-run");
      return WISHES.filter((wish) => shown.includes(wish));
    };
    await expect.poll(proposed, { timeout: 20_000 }).toEqual(WISHES);
    expect(await waiting()).not.toContain("sending status reports");
    await run("review run");
    for (const wish of WISHES) expect(await waiting()).toContain(wish);
  });
  wired(
    ["conduct behavior promote --type", "conduct behavior promote --text", "conduct behavior promote --dry-run"],
    "WIR-401 a candidate is promoted in other words and with another type, and a dry run changes nothing",
    async () => {
      const promote = ["promote", await idOf("sending status"), "--type", "less", "--text", "reports on Fridays"];
      await run("behavior", ...promote, "--dry-run");
      expect(await run("behavior list", "--user", "ann")).not.toContain("reports on Fridays");
      await run("behavior", ...promote);
      expect(await run("behavior list", "--user", "ann")).toMatch(/LESS\s+reports on Fridays/);
    },
  );
  wired(
    ["conduct behavior edit --type", "conduct behavior edit --text", "conduct behavior edit --dry-run"],
    "WIR-402 a candidate is reworded and waits on, and a dry run changes nothing",
    async () => {
      const edit = ["edit", await idOf("using long words"), "--type", "less", "--text", "words of Latin"];
      await run("behavior", ...edit, "--dry-run");
      expect(await waiting()).not.toContain("words of Latin");
      await run("behavior", ...edit);
      expect(await waiting()).toMatch(/LESS:? +words of Latin/i);
    },
  );
  wired(
    ["conduct behavior reject --reason", "conduct behavior reject --dry-run", "conduct review list --all"],
    "WIR-403 a rejected candidate has its reason and is listed with --all only; a dry run rejects none",
    async () => {
      const id = await idOf("writing poems");
      await run("behavior reject", id, "--reason", "a one-off wish", "--dry-run");
      expect(await waiting()).toContain("writing poems");
      await run("behavior reject", id, "--reason", "a one-off wish");
      expect(await waiting()).not.toContain("writing poems");
      expect(await run("review list", "--all")).toContain("writing poems");
      expect(await run("behavior history")).toContain("a one-off wish");
    },
  );
  wired("conduct behavior snooze --dry-run", "WIR-404 a dry run puts no candidate off", async () => {
    const id = await idOf("sending tables");
    await run("behavior snooze", id, "3d", "--dry-run");
    expect(await waiting()).not.toContain("snoozed until");
    await run("behavior snooze", id, "3d");
    expect(await waiting()).toMatch(/sending tables[^\n]*\n[^\n]*snoozed until/);
  });
  wired("conduct behavior apply --dry-run", "WIR-405 a dry run removes no expired directive", async () => {
    await run("behavior add", "STOP: short-lived habits", "--expires", "1s");
    await setTimeout(1_100);
    const before = await run("behavior history");
    await run("behavior apply", "--dry-run");
    expect(await run("behavior history")).toBe(before);
    await run("behavior apply");
    expect(await run("behavior history")).not.toBe(before);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentsStore, AgentWrite } from "../../../base/ports/stores/agents.ts";
import type { Json } from "../../../base/words/json.ts";

function write(model: Json = "small"): AgentWrite {
  return { definition: { model, rules: [{ deny: "deploy" }] }, at: 1_700_000_000_000.5, by: "ann", reason: "begin" };
}

/** What every store of agents does. */
export function agentsSuite(name: string, open: () => Promise<AgentsStore>): void {
  describe(`agents: ${name}`, () => {
    it("AGS-1 an unknown agent has no version", async () => {
      const store = await open();
      expect(await store.read("ada")).toBeUndefined();
      expect(await store.version("ada", 1)).toBeUndefined();
      expect(await store.list()).toEqual([]);
    });

    it("AGS-2 the agents store returns the newest version, and every older one unchanged", async () => {
      const store = await open();
      for (let after = 0; after < 12; after++) expect(await store.put("ada", after, write(after))).toBe(true);
      expect(await store.read("ada")).toEqual({ name: "ada", version: 12, ...write(11) });
      for (const version of [1, 9, 12])
        expect(await store.version("ada", version)).toEqual({ name: "ada", version, ...write(version - 1) });
      for (const none of [0, 13, -1, 1.5, Number.NaN, 2 ** 40])
        expect(await store.version("ada", none)).toBeUndefined();
    });

    it.each([-1, 0, 2, 0.5, Number.NaN, 2 ** 40])(
      "AGS-3 a write after version %d of an agent, when 1 is the newest, writes nothing",
      async (after) => {
        const store = await open();
        await store.put("ada", 0, write());
        expect(await store.put("ada", after, write("other"))).toBe(false);
        expect(await store.list()).toEqual([{ name: "ada", version: 1, ...write() }]);
      },
    );

    it("AGS-4 of concurrent writers after the same agent version exactly one wins", async () => {
      const store = await open();
      const done = await Promise.all(Array.from({ length: 10 }, (_, at) => store.put("ada", 0, write(at))));
      expect(done.filter((won) => won)).toHaveLength(1);
      expect(await store.read("ada")).toEqual({ name: "ada", version: 1, ...write(done.indexOf(true)) });
    });

    it("AGS-5 the agent list has the newest version of each, sorted by name, and never confuses names", async () => {
      const store = await open();
      const names = ["bob", "Ada", "ada", "ada ", "ä", "a\u0308", "", "__proto__", "' or 1=1 --", "x".repeat(3_000)];
      for (const one of names) await store.put(one, 0, write(one));
      await store.put("bob", 1, write("newer"));
      const listed = await store.list();
      expect(listed.map((one) => one.name)).toEqual(names.toSorted());
      for (const one of listed)
        expect(one).toEqual(
          one.name === "bob"
            ? { name: "bob", version: 2, ...write("newer") }
            : { name: one.name, version: 1, ...write(one.name) },
        );
    });

    it("AGS-6 agent definitions with any JSON and text are read back unchanged", async () => {
      const store = await open();
      let made = 0;
      const text = fc.string({ unit: "binary" });
      await fc.assert(
        fc.asyncProperty(fc.jsonValue({ stringUnit: "binary" }), text, text, async (value, by, reason) => {
          const agent = `${made++}${by}`;
          const definition = JSON.parse(JSON.stringify({ value }));
          expect(await store.put(agent, 0, { definition, at: made, by, reason })).toBe(true);
          expect(await store.read(agent)).toEqual({ name: agent, version: 1, definition, at: made, by, reason });
        }),
        { numRuns: 50 },
      );
    });

    it("AGS-7 later changes to the caller's objects do not affect the stored agent", async () => {
      const store = await open();
      const definition = { list: ["mine"] };
      await store.put("ada", 0, { ...write(), definition });
      definition.list.push("changed");
      Object.assign((await store.read("ada"))?.definition ?? {}, { list: "changed" });
      expect((await store.read("ada"))?.definition).toEqual({ list: ["mine"] });
    });
  });
}

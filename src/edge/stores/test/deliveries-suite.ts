import { describe, expect, it } from "vitest";
import type { DeliveriesStore, DeliveryDraft } from "../../../base/ports/stores/hosting/deliveries.ts";

const draft = (id: string, at = 10, webhook = "ops"): DeliveryDraft => ({
  ...{ id, webhook, type: "call.denied", body: `{"id":"${id}"}`, at },
});

/** What every outbox of webhooks does. */
export function deliveriesSuite(name: string, open: () => Promise<DeliveriesStore>): void {
  describe(`deliveries: ${name}`, () => {
    it("DLV-1 of processes that read the same part of a journal, one adds its deliveries", async () => {
      const store = await open();
      expect(await store.position("events")).toBeUndefined();
      const first = await Promise.all([1, 2, 3].map(() => store.advance("events", undefined, 5, [])));
      expect(first.filter(Boolean)).toHaveLength(1);
      const next = await Promise.all(["a", "b", "c"].map((id) => store.advance("events", 5, 9, [draft(id)])));
      expect(next.filter(Boolean)).toHaveLength(1);
      expect(await store.list({ limit: 9 })).toHaveLength(1);
      expect([await store.position("events"), await store.position("governance")]).toEqual([9, undefined]);
    });

    it("DLV-2 a delivery is due at its time, for its webhook, until it is delivered", async () => {
      const store = await open();
      await store.add([draft("a"), draft("b", 20), draft("c", 10, "other")]);
      await store.add([draft("a", 99)]);
      const due = async (now: number) => (await store.due(now, 9, "ops")).map(({ id }) => id);
      expect([await due(9), await due(10), await due(20)]).toEqual([[], ["a"], ["a", "b"]]);
      await store.record("a", { state: "waiting", attempts: 1, nextAt: 500, result: "503" });
      await store.record("b", { state: "delivered", attempts: 1, nextAt: 20, result: "200" });
      expect([await due(499), await due(500)]).toEqual([[], ["a"]]);
      expect(await store.find("a")).toEqual({
        ...draft("a"),
        ...{ state: "waiting", attempts: 1, nextAt: 500, result: "503" },
      });
      expect(await store.find("none")).toBeUndefined();
    });

    it("DLV-3 the log is filtered and newest first; a retry starts from the first attempt", async () => {
      const store = await open();
      await store.add([draft("a"), draft("b", 20), draft("c", 30, "other")]);
      await store.record("b", { state: "failed", attempts: 10, nextAt: 20, result: "500" });
      const ids = async (query: Parameters<typeof store.list>[0]) => (await store.list(query)).map(({ id }) => id);
      expect(await ids({ limit: 9 })).toEqual(["c", "b", "a"]);
      expect(await ids({ limit: 1, webhook: "ops" })).toEqual(["b"]);
      expect(await ids({ limit: 9, state: "failed" })).toEqual(["b"]);
      expect([await store.retry("b", 40), await store.retry("none", 40)]).toEqual([true, false]);
      expect(await store.find("b")).toMatchObject({ state: "waiting", attempts: 0, nextAt: 40, result: undefined });
      await store.expire(25);
      expect(await ids({ limit: 9 })).toEqual(["c"]);
    });
  });
}

import { describe, expect, it } from "vitest";
import type { UsersStore } from "../../../base/ports/stores/users.ts";
import type { AccessKey, User } from "../../../base/words/hosting/user.ts";

const ann: User = { id: "ann", name: "Ann", role: "operator", zone: "Europe/London", telegram: 2 ** 40 + 1, at: 1.5 };
const bob: User = { id: "bob 🙂'--", name: "Bob", role: "user", at: 2 };
const key = (hash: string, at = 1): AccessKey => ({
  hash,
  user: "ann",
  kind: "token",
  label: "laptop",
  at,
  expiresAt: 9,
});

/** What every store of users does. */
export function usersSuite(name: string, open: () => Promise<UsersStore>): void {
  describe(`users: ${name}`, () => {
    it("USR-1 users are found by id and by Telegram id, and no user is added twice", async () => {
      const store = await open();
      expect(await store.read("ann")).toBeUndefined();
      for (const user of [ann, bob]) expect(await store.add(user)).toBe("added");
      expect(await store.read("ann")).toEqual(ann);
      expect(await store.read(bob.id)).toEqual(bob);
      expect(await store.byTelegram(ann.telegram ?? 0)).toEqual(ann);
      expect(await store.byTelegram(7)).toBeUndefined();
      expect(await store.add({ ...ann, name: "Another" })).toBe("exists");
      const { telegram: _none, ...without } = ann;
      expect(await store.change("ann", { telegram: null, by: "ann" })).toEqual({
        kind: "changed",
        user: without,
        before: ann,
      });
      expect(await store.byTelegram(ann.telegram ?? 0)).toBeUndefined();
      expect(await store.read("ann")).toEqual(without);
    });

    it("USR-2 a Telegram id belongs to one user", async () => {
      const store = await open();
      await store.add(ann);
      const telegram = ann.telegram ?? 0;
      expect(await store.add({ ...bob, telegram })).toBe("telegram-taken");
      expect(await store.read(bob.id)).toBeUndefined();
      await store.add(bob);
      expect(await store.change(bob.id, { telegram, name: "B", by: "ann" })).toEqual({ kind: "telegram-taken" });
      expect(await store.read(bob.id)).toEqual(bob);
    });

    it("USR-6 a Slack id belongs to one user, is found, and can be removed", async () => {
      const store = await open();
      await store.add({ ...ann, slack: "U012AB3CD" });
      expect((await store.bySlack("U012AB3CD"))?.id).toBe("ann");
      expect(await store.add({ ...bob, slack: "U012AB3CD" })).toBe("slack-taken");
      await store.add(bob);
      expect(await store.change(bob.id, { slack: "U012AB3CD", by: "ann" })).toEqual({ kind: "slack-taken" });
      expect(await store.change("ann", { slack: null, by: "ann" })).toMatchObject({ kind: "changed" });
      expect(await store.bySlack("U012AB3CD")).toBeUndefined();
      expect((await store.byTelegram(ann.telegram ?? 0))?.id).toBe("ann");
    });

    it("USR-3 users are listed by id, page by page", async () => {
      const store = await open();
      const ids = ["b", "a", "c", "ä", "A"];
      for (const id of ids) await store.add({ ...bob, id });
      const first = await store.list({ limit: 3 });
      expect(first.map(({ id }) => id)).toEqual(ids.toSorted().slice(0, 3));
      const rest = await store.list({ limit: 3, after: first.at(-1)?.id ?? "" });
      expect(rest.map(({ id }) => id)).toEqual(ids.toSorted().slice(3));
    });

    it("USR-5 many name changes cannot block or undo a role change, and no concurrent change loses a field", async () => {
      const store = await open();
      await store.add(ann);
      for (let round = 0; round < 5; round++) {
        const id = `eve${round}`;
        await store.add({ id, name: "Eve", role: "operator", at: 3 });
        const names = Array.from({ length: 10 }, (_, at) => store.change(id, { name: `Eve ${at}` }));
        const rest = [
          store.change(id, { role: "user", by: "ann" }),
          store.change(id, { zone: "Etc/UTC" }),
          store.change(id, { telegram: 70 + round, by: "ann" }),
        ];
        await Promise.all([...names.slice(0, 5), ...rest, ...names.slice(5)]);
        expect(await store.read(id)).toEqual({
          ...{
            id,
            name: expect.stringMatching(/^Eve \d$/),
            role: "user",
            zone: "Etc/UTC",
            telegram: 70 + round,
            at: 3,
          },
        });
      }
      expect(await store.change("nobody", { name: "N" })).toEqual({ kind: "missing" });
    });

    it("USR-6 of two operators who demote each other one stays operator; only operators change roles", async () => {
      const store = await open();
      for (let round = 0; round < 5; round++) {
        const [left, right] = [`left${round}`, `right${round}`];
        for (const id of [left, right]) await store.add({ ...bob, id, role: "operator" });
        const done = await Promise.all([
          store.change(left, { role: "user", by: right }),
          store.change(right, { role: "user", by: left }),
        ]);
        expect(done.map(({ kind }) => kind).toSorted()).toEqual(["changed", "not-operator"]);
        const roles = await Promise.all([left, right].map(async (id) => (await store.read(id))?.role));
        expect(roles.toSorted()).toEqual(["operator", "user"]);
      }
      await store.add(bob);
      expect(await store.change(bob.id, { role: "operator", by: bob.id })).toEqual({ kind: "not-operator" });
      expect(await store.change(bob.id, { role: "operator", by: "nobody" })).toEqual({ kind: "not-operator" });
      expect(await store.read(bob.id)).toEqual(bob);
    });

    it("USR-4 a key is found by its hash, and only one caller can claim it", async () => {
      const store = await open();
      await store.addKey(key("h1"));
      await store.addKey(key("h2", 5));
      expect(await store.readKey("h1")).toEqual(key("h1"));
      expect((await store.keysOf("ann")).map(({ hash }) => hash)).toEqual(["h2", "h1"]);
      const taken = await Promise.all(Array.from({ length: 8 }, () => store.takeKey("h1")));
      expect(taken.filter((one) => one !== undefined)).toEqual([key("h1")]);
      expect(await store.readKey("h1")).toBeUndefined();
    });
  });
}

import { describe, expect, it } from "vitest";
import type { UsersStore } from "../../base/ports/users.ts";
import type { AccessKey, User } from "../../base/words/user.ts";

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
    it("USR-1 gives back who was put, by id and by Telegram id; the last put holds", async () => {
      const store = await open();
      expect(await store.read("ann")).toBeUndefined();
      for (const user of [ann, bob]) await store.put(user);
      expect(await store.read("ann")).toEqual(ann);
      expect(await store.read(bob.id)).toEqual(bob);
      expect(await store.byTelegram(ann.telegram ?? 0)).toEqual(ann);
      expect(await store.byTelegram(7)).toBeUndefined();
      const { telegram: _none, ...without } = ann;
      await store.put(without);
      expect(await store.byTelegram(ann.telegram ?? 0)).toBeUndefined();
      expect(await store.read("ann")).toEqual(without);
    });

    it("USR-2 a Telegram id belongs to one user", async () => {
      const store = await open();
      await store.put(ann);
      await expect(store.put({ ...bob, telegram: ann.telegram ?? 0 })).rejects.toThrow("belongs to");
      expect(await store.read(bob.id)).toBeUndefined();
    });

    it("USR-3 lists by id, page by page", async () => {
      const store = await open();
      const ids = ["b", "a", "c", "ä", "A"];
      for (const id of ids) await store.put({ ...bob, id });
      const first = await store.list({ limit: 3 });
      expect(first.map(({ id }) => id)).toEqual(ids.toSorted().slice(0, 3));
      const rest = await store.list({ limit: 3, after: first.at(-1)?.id ?? "" });
      expect(rest.map(({ id }) => id)).toEqual(ids.toSorted().slice(3));
    });

    it("USR-4 a key is found by its hash, and taken by one only", async () => {
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

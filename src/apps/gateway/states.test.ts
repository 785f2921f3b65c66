import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Session } from "../../engine/moments/session.ts";
import { StateKeeper } from "./states.ts";

/** A session whose whole state is a number. */
function counting() {
  let [now, slices] = [0, {}];
  const session = {
    id: "s",
    snapshot: () => ({ slices }) as unknown as ReturnType<Session["snapshot"]>,
    serialise: () => String(now),
    notice: () => undefined,
  };
  return {
    session,
    change: () => {
      slices = {};
      return ++now;
    },
  };
}

describe("keeping a session's state", () => {
  it("STA-1 in any order of events: one save at a time, and whoever was told that it is kept finds it there", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(fc.boolean(), { maxLength: 12 }), async (scheduler, changes) => {
        const { session, change } = counting();
        let [kept, underWay, changed] = [-1, 0, 0];
        const save = scheduler.scheduleFunction(async (snapshot: string) => {
          kept = Number(snapshot);
        });
        const keeper = new StateKeeper(session, {
          load: async () => undefined,
          async save(_, snapshot) {
            underWay += 1;
            expect(underWay).toBe(1);
            await save(snapshot);
            underWay -= 1;
          },
        });
        const waiting: Promise<void>[] = [];
        scheduler.scheduleSequence(
          changes.map((changes) => async () => {
            if (changes) changed = change();
            const then = changed;
            waiting.push(keeper.keep().then(() => expect(kept).toBeGreaterThanOrEqual(then)));
          }),
        );
        await scheduler.waitAll();
        await scheduler.waitFor(Promise.all(waiting));
        if (changes.length > 0) expect(kept).toBe(changed);
      }),
    );
  });

  it("STA-2 what has not changed is not written again; a save that failed is made good by the next", async () => {
    const { session, change } = counting();
    const saved: string[] = [];
    let broken = true;
    const keeper = new StateKeeper(session, {
      load: async () => undefined,
      async save(_, snapshot) {
        if (broken) throw new Error("away");
        saved.push(snapshot);
      },
    });
    change();
    const [first, second] = [keeper.keep(), keeper.keep()];
    await expect(first).rejects.toThrow("away");
    await expect(second).rejects.toThrow("away");
    await keeper.keepOrTell();
    broken = false;
    await keeper.keep();
    await keeper.keep();
    expect(saved).toEqual(["1"]);
  });
});

import { describe, expect, it } from "vitest";
import type { Filesystem } from "../../base/ports/filesystem.ts";
import type { PathFact } from "../../base/words/facts.ts";
import { gatherAfter, NO_FACTS } from "./gather.ts";

const FACT: PathFact = { resolved: "/w/a", inside: true, exists: true, version: "1" };

function filesystem(look: Filesystem["look"]): { files: Filesystem; signals: AbortSignal[] } {
  const signals: AbortSignal[] = [];
  const files: Filesystem = {
    root: "/w",
    look: (path, signal) => {
      if (signal !== undefined) signals.push(signal);
      return look(path, signal);
    },
  };
  return { files, signals };
}

describe("gather", () => {
  it("GATHER-1 a lookup that has finished is not aborted", async () => {
    const { files, signals } = filesystem(async () => FACT);
    expect(await gatherAfter({ paths: ["a"], proving: false }, files, 1_000)).toEqual({
      paths: { a: FACT },
      policies: {},
      faults: {},
    });
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it("GATHER-2 a lookup that exceeds the time limit is aborted and causes a fault", async () => {
    const { files, signals } = filesystem(() => new Promise(() => {}));
    const { faults } = await gatherAfter({ paths: ["a"], proving: false }, files, 5);
    expect(faults.paths).toMatchObject({ code: "gather-timeout" });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it("GATHER-3 when one lookup fails, the others are aborted", async () => {
    const { files, signals } = filesystem((path) =>
      path === "bad" ? Promise.reject(new Error("no disk")) : new Promise(() => {}),
    );
    const { faults } = await gatherAfter({ paths: ["a", "bad"], proving: false }, files, 1_000);
    expect(faults.paths).toMatchObject({ code: "gather-error" });
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
  });

  it.each(["constructor", "toString", "__proto__"])(
    "GATHER-4 a file named %s is known only after it was looked up",
    async (path) => {
      expect(NO_FACTS.paths[path]).toBeUndefined();
      const { files } = filesystem(async () => FACT);
      const { paths } = await gatherAfter({ paths: [path], proving: false }, files, 1_000);
      expect(Object.keys(paths)).toEqual([path]);
      expect(paths[path]).toEqual(FACT);
    },
  );
});

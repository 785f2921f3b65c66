import { describe, expect, it } from "vitest";
import { attack as ignoredOptions } from "./cases/08-ignored-options.ts";
import { attack as foreignWords } from "./cases/09-foreign-words.ts";
import { attack as longCommands } from "./cases/10-long-commands.ts";
import { openWorld } from "./world.ts";

/** Whole processes on a machine that others use too. */
const PATIENT = 180_000;

describe("attacks by input, on the shipped programs", () => {
  const cases = [ignoredOptions, foreignWords, longCommands].flatMap(({ id, cases: tried }) =>
    tried.map(({ name, run }) => ({ id, name, run })),
  );

  it.each(cases)(
    "ATK-1 $id: $name",
    async ({ run }) => {
      const world = openWorld();
      try {
        const { tried, held, note } = await run(world);
        expect(held, note).toBe(tried);
      } finally {
        await world.close();
      }
    },
    PATIENT,
  );
});

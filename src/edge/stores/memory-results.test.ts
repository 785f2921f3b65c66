import { expect, it } from "vitest";
import { memoryResults } from "./memory-results.ts";
import { resultsSuite } from "./test/results-suite.ts";

resultsSuite("memory", async (maxBytes) => memoryResults({ maxBytes }));
resultsSuite("memory, as it comes", async (maxBytes) =>
  maxBytes < 10_000 ? memoryResults({ maxBytes }) : memoryResults(),
);

it("J12 deleting a session's results deletes only that session's, whatever its name", async () => {
  const results = memoryResults();
  for (const session of ["s", 's","h', "s\\"]) await results.keep(session, "h", session);
  await results.forget("s");
  expect(await results.read("s", "h")).toBeUndefined();
  expect(await results.read('s","h', "h")).toBe('s","h');
  expect(await results.read("s\\", "h")).toBe("s\\");
});

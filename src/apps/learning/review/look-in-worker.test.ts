import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { homeStores } from "../../../edge/stores/home-stores.ts";
import { openReview } from "../open-review.ts";
import { directly, runReview } from "./steps.ts";
import { testReview } from "./test-review.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

it("RV-90 a review by a worker thread finds the same as one in this thread", async () => {
  const folder = await mkdtemp(join(tmpdir(), "conduct-review-worker-"));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const place = { kind: "sqlite", file: join(folder, "conduct.db") } as const;
  const stores = homeStores(place);
  cleanups.push(() => stores.close());
  const world = testReview({}, stores);
  for (const user of ["bob", "ann"])
    await world.open({ user }).onMessage({ text: "Please stop sending status reports." });
  await world.keep();
  const { events, governance } = stores;
  const { contracts, review } = world;
  const { clock } = review;
  const here = openReview({ events, governance, contracts, clock });
  const there = openReview({ events, governance, contracts, clock, place });
  const window = await here.window(clock.now());
  if (window === "nothing") throw new Error("there are messages");
  const found = await here.find(window);
  expect(found.map(({ pattern }) => pattern)).toContain("correction");
  expect(JSON.parse(JSON.stringify(await there.find(window)))).toEqual(JSON.parse(JSON.stringify(found)));
  expect(await there.adherence(window)).toEqual(JSON.parse(JSON.stringify(await here.adherence(window))));
  expect(await runReview(there, clock.now(), directly)).toMatchObject({ sessions: 2, messages: 2 });
});

it("RV-91 a store that the worker cannot open fails the review with the reason", async () => {
  const world = testReview();
  await world.open().onMessage({ text: "hello" });
  await world.keep();
  const { events, governance, contracts, clock } = world.review;
  const folder = await mkdtemp(join(tmpdir(), "conduct-review-worker-"));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const place = { kind: "sqlite", file: join(folder, "conduct.db") } as const;
  await writeFile(place.file, "cut off");
  const steps = openReview({ events, governance, contracts, clock, place });
  await expect(runReview(steps, clock.now(), directly)).rejects.toThrow("is damaged");
});

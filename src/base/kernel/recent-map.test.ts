import { expect, it } from "vitest";
import { RecentMap } from "./bounded-map.ts";

function recentMap() {
  const map = new RecentMap<string>();
  const made: string[] = [];
  const ask = (text: string) =>
    map.recall(text, () => {
      made.push(text);
      return text.toUpperCase();
    });
  const askMany = (count: number) => {
    for (let i = 0; i < count; i++) ask(`other ${i}`);
  };
  return { ask, askMany, madeOf: (text: string) => made.filter((one) => one === text).length };
}

it.each([
  { after: 500, made: 1 },
  { after: 1_500, made: 1 },
  { after: 3_000, made: 2 },
])("PB-10 after $after other cached texts a text has been computed $made times", ({ after, made }) => {
  const { ask, askMany, madeOf } = recentMap();
  ask("a");
  askMany(after);
  expect(ask("a")).toBe("A");
  expect(madeOf("a")).toBe(made);
});

it("PB-10 a frequently used cache entry is not evicted", () => {
  const { ask, askMany, madeOf } = recentMap();
  for (let i = 0; i < 5; i++) {
    ask("a");
    askMany(900);
  }
  expect(madeOf("a")).toBe(1);
});

it("PB-11 a long text uses as much cache space as many short ones", () => {
  const { ask, madeOf } = recentMap();
  ask("a");
  for (let i = 0; i < 5; i++) ask(`${i}`.repeat(1_500_000));
  ask("a");
  expect(madeOf("a")).toBe(2);
});

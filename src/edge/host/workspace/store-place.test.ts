import { describe, expect, it } from "vitest";
import { storePlace } from "./store-place.ts";

describe("store place", () => {
  it.each([
    [undefined, { kind: "sqlite", file: "/h/conduct.db" }],
    ["", { kind: "sqlite", file: "/h/conduct.db" }],
    [
      "postgres://a:b@c/d",
      {
        kind: "postgres",
        url: "postgres://a:b@c/d",
        heads: expect.stringMatching(/^\/h\/governance-[0-9a-f]{12}\.heads$/),
      },
    ],
    [" postgresql://c/d ", { kind: "postgres", url: "postgresql://c/d", heads: expect.any(String) }],
  ])("STO-30 the store's location follows from CONDUCT_STORE=%s", (given, place) => {
    expect(storePlace(given === undefined ? {} : { CONDUCT_STORE: given }, "/h")).toEqual(place);
  });

  it.each(["mysql://x", "conduct.db", "redis://secret@x"])(
    "STO-30 CONDUCT_STORE with %s is rejected, and the error does not repeat the value",
    (given) => {
      expect(() => storePlace({ CONDUCT_STORE: given }, "/h")).toThrow(/^CONDUCT_STORE is not the URL.*postgres:\/\//);
      expect(() => storePlace({ CONDUCT_STORE: given }, "/h")).not.toThrow("secret");
    },
  );
});

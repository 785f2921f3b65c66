import { describe, expect, it } from "vitest";
import { missingServices } from "./services.ts";

describe("the servers of npm run cluster", () => {
  it.each([
    [undefined, "/usr/bin/redis-server", /^PostgreSQL is not installed.*apt-get install postgresql /],
    ["/usr/lib/postgresql/15/bin", undefined, /^Redis is not installed.*apt-get install redis-server /],
  ] as const)(
    "CLU-01 a missing server is one sentence with the command that installs it",
    (postgres, redis, sentence) => {
      const missing = missingServices({ postgres: () => postgres, redis: () => redis });
      expect(missing).toHaveLength(1);
      expect(missing[0]).toMatch(sentence);
    },
  );

  it("CLU-02 nothing is missing where both are installed", () => {
    expect(missingServices({ postgres: () => "a", redis: () => "b" })).toEqual([]);
  });
});

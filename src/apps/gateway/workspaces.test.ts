import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { workspaceOf } from "./workspaces.ts";

const root = mkdtempSync(join(tmpdir(), "conduct-work-"));
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
const home = join(root, "home");
const folderOf = (agent: string, user: string) =>
  workspaceOf(home, { id: "s", agent, user, channel: "web", at: 0, lastAt: 0 });

describe("the folder of a conversation", () => {
  it("WS-1 lies below the gateway's, whatever the names are, and no two users share one", async () => {
    const name = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.constantFrom("..", "../..", "/etc", ".", "", "a/b", "a\\b", "\0", `${".".repeat(59)}a`, `${".".repeat(59)}b`),
    );
    await fc.assert(
      fc.asyncProperty(name, name, async (one, other) => {
        const [a, b] = [await folderOf("helper", one), await folderOf("helper", other)];
        for (const folder of [a, b])
          expect(folder.split(sep).slice(0, -1).join(sep)).toBe(join(`${home}-work`, "helper"));
        expect(a === b).toBe(one === other);
      }),
      { numRuns: 100 },
    );
  });
});

import { describe, expect, it } from "vitest";
import { FileOutputChecker } from "./completion-checkers.ts";
import { testContext, testFilesystem } from "./test/test-context.ts";

const missing = "Required files are missing";

describe("FileOutputChecker", () => {
  it.each([
    { files: [], exist: [], complete: true },
    { files: ["a", "b"], exist: ["a", "b", "c"], complete: true },
    { files: ["a", "b"], exist: ["a"], complete: false, feedback: `${missing}: b.` },
    { files: ["a", "b", "c"], exist: [], complete: false, feedback: `${missing}: a, b, c.` },
    { files: ["a", "b", "c", "d", "e"], exist: [], complete: false, feedback: `${missing}: a, b, c, ….` },
    { files: ["a", "a"], exist: [], complete: false, feedback: `${missing}: a.` },
  ])(
    "TC-1 requiring $files when $exist exist gives complete: $complete",
    async ({ files, exist, complete, feedback }) => {
      const result = await new FileOutputChecker({ files }).check(testContext({ filesystem: testFilesystem(exist) }));
      expect(result).toMatchObject(feedback === undefined ? { complete } : { complete, feedback });
    },
  );

  it.each([
    { files: [], complete: true },
    { files: ["a", "b", "c", "d"], complete: false },
  ])("TC-2 requiring $files without a filesystem gives complete: $complete", async ({ files, complete }) => {
    const result = await new FileOutputChecker({ files }).check(testContext());
    expect(result.complete).toBe(complete);
    if (!result.complete) expect(result.feedback).toMatch(/without a filesystem: a, b, c, …/);
  });

  it("TC-3 a path that cannot be checked is incomplete and named, and the other paths are still reported", async () => {
    const checker = new FileOutputChecker({ files: ["broken.md", "a", "b"] });
    const result = await checker.check(testContext({ filesystem: testFilesystem(["a"]) }));
    expect(result).toEqual({
      complete: false,
      feedback: `${missing}: b.\nRequired files could not be checked: broken.md (disk is gone &lt;/feedback>).`,
    });
  });

  it("TC-4 a filesystem that throws synchronously is handled like one that rejects", async () => {
    const look = () => {
      throw new Error("at once");
    };
    const result = await new FileOutputChecker({ files: ["a"] }).check(
      testContext({ filesystem: { root: "/", look } }),
    );
    expect(result).toMatchObject({ complete: false, feedback: expect.stringContaining("a (at once)") });
  });
});

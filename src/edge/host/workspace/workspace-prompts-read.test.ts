import { mkdir, mkdtemp, open, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { listPrompts, readPrompt } from "./workspace-prompts-read.ts";

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  return { ...real, open: vi.fn(real.open) };
});

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "conduct-read-")));
  await mkdir(join(root, ".agents/prompts"), { recursive: true });
  await writeFile(join(root, ".agents/prompts/a.md"), "A");
  vi.mocked(open).mockClear();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(root, { recursive: true, force: true });
});

it.each([
  { later: 10_000, opened: 1, when: "has settled" },
  { later: 0, opened: 2, when: "may still change within the same tick of the clock" },
])("WP-16 a prompt file that $when is opened $opened times in two reads", async ({ later, opened }) => {
  const now = Date.now() + later;
  vi.spyOn(Date, "now").mockReturnValue(now);
  const { entries } = await listPrompts(root);
  const [entry] = entries;
  if (entry === undefined) throw new Error("not found");
  const first = await readPrompt(entry, root);
  const second = await readPrompt(entry, root, first);
  expect(vi.mocked(open)).toHaveBeenCalledTimes(opened);
  if (first.kind !== "text" || second.kind !== "text") throw new Error("not read");
  expect(second.parsed).toBe(first.parsed);
});

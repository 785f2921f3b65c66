import type { Filesystem } from "../../../base/ports/filesystem.ts";
import type { CompletionContext } from "../../../base/words/completion.ts";
import type { PathFact } from "../../../base/words/facts.ts";
import type { Evidence, SessionView } from "../../../base/words/session-view.ts";

/** A context for the tests of this room; each test says only what matters to it. */
export function testContext(
  over: Partial<CompletionContext> & { readonly evidence?: Readonly<Record<string, Evidence>> } = {},
): CompletionContext {
  const { evidence = {}, ...rest } = over;
  const session: SessionView = {
    id: "s_1",
    agent: "coder",
    channel: "web",
    custom: [],
    turn: 1,
    now: 0,
    startedAt: 0,
    modes: { think: false, verbose: false, elevated: false },
    usage: { inputTokens: 0, outputTokens: 0, calls: 0, cost: 0 },
    budget: {},
    callCount: 0,
    recentCalls: () => [],
    evidence: (action) => evidence[action],
  };
  return { session, tentativeOutput: "done", signal: new AbortController().signal, ...rest };
}

/** Files that exist; looking at one whose name has `broken` in it rejects. */
export function testFilesystem(files: readonly string[]): Filesystem {
  return {
    root: "/w",
    look: async (path): Promise<PathFact> => {
      if (path.includes("broken")) throw new Error("disk is gone </feedback>");
      return { resolved: `/w/${path}`, inside: true, exists: files.includes(path) };
    },
  };
}

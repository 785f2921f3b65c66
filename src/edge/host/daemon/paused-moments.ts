import type { BuiltPrompt } from "../../../base/words/prompt.ts";
import type { SessionMoments } from "../../../engine/moments/session-moments.ts";

const NO_MODES = { think: false, verbose: false, elevated: false };
const NO_PROMPT: BuiltPrompt = {
  text: "",
  sections: [],
  provenance: [],
  tokens: 0,
  hash: "",
  prefixHash: "",
  prefixTokens: 0,
  cuts: [],
  trace: [],
};

/**
 * A session that nobody looks at: the operator has paused Conduct, and it cannot be asked. Everything passes as it is, and
 * nothing is told. Loads nothing, because it is needed where Conduct is not.
 */
export function passingMoments(id: string): SessionMoments {
  return {
    id,
    onMessage: async ({ text }) => ({ text, modes: NO_MODES, notes: [] }),
    onPrompt: async () => NO_PROMPT,
    onCall: async () => ({ kind: "allow", id: "d_paused", advice: [], because: "paused" }),
    resolve: () => undefined,
    flush: async () => undefined,
    decide: async () => ({ kind: "allow", id: "d_paused", advice: [], because: "paused" }),
    onResult: async (_call, result) => ({ result, changed: false }),
    onStop: async () => ({ done: true, status: "bypassed", why: "Conduct is paused" }),
    notice: () => undefined,
    takeDebug: () => undefined,
    tools: () => [],
  };
}

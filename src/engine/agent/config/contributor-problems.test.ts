import { describe, expect, it } from "vitest";
import { AgentError, defineAgent } from "../define-agent.ts";

describe("what an agent is told, from code", () => {
  const contribute = () => undefined;
  const faultsOf = (input: object): readonly string[] => {
    try {
      defineAgent({ name: "a", ...input });
      return [];
    } catch (error) {
      if (error instanceof AgentError) return error.faults;
      throw error;
    }
  };

  it.each([
    [
      {
        contributors: [{ id: "x", tags: [{ dimension: "domain", value: "y" }], priority: 1, contribute }],
        model: "a/b",
      },
      [],
    ],
    [
      { contributors: [{ id: "", contribute }] },
      ['a contributor needs an id, and "" is none; at most 100 letters, digits and . _ : / -, without spaces'],
    ],
    [
      { contributors: [{ id: "builtin:x", contribute }] },
      ["contributor 'builtin:x': ids that start with builtin: are reserved; give it another id"],
    ],
    [
      {
        contributors: [
          { id: "x", contribute },
          { id: "x", contribute },
        ],
      },
      ["two contributors have the id 'x'; rename one of them; 'defaults' may define it too"],
    ],
    [
      { contributors: [{ id: "x", priority: Number.NaN, contribute }] },
      ["contributor 'x': 'priority' must be a number"],
    ],
    [
      { contributors: [{ id: "x", zone: "late", contribute }] },
      ["contributor 'x': zone is one of static, session, turn"],
    ],
    [{ contributors: [{ id: "x" }] }, ["contributor 'x': 'contribute' must be a function"]],
    [
      { contributors: [{ id: "x", tags: [{ dimension: "topc", value: "y" }], contribute }] },
      ["contributor 'x': 'topc' is not a dimension; did you mean 'topic'?"],
    ],
    [
      { contributors: [{ id: "x", tags: [{ dimension: "domain", value: " " }], contribute }] },
      ["contributor 'x': a tag of 'domain' has no value; add a value, or * for any"],
    ],
    [{ model: "sonnet" }, ["model must be provider/model, such as anthropic/claude-sonnet-4-5, not 'sonnet'"]],
    [
      { sessionLabels: { enabled: true, model: "haiku", every: 0 } },
      [
        "sessionLabels.model must be provider/model, such as anthropic/claude-sonnet-4-5, not 'haiku'",
        "sessionLabels.every must be a number of turns above 0, not 0",
      ],
    ],
    [
      { prompt: { budget: -1, mode: "all" } },
      [
        "prompt.budget must be a number of tokens above 0, not -1",
        "prompt.mode must be one of full, minimal, none, not 'all'",
      ],
    ],
  ])("TC-9 every problem in an agent's prompt settings in code is reported: %j", (input, faults) => {
    expect(faultsOf(input)).toEqual(faults);
  });
});

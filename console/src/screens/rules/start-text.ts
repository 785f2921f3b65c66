import type { AgentRules, Standing } from "./standing.ts";

/** Initial text: a rule that denies one tool until another was used. */
export const FIRST = `rules:
  - id: my-rule
    on: write_file
    require: read_file
    effect: deny
    say: "Read before you write."
`;

export const FIRST_CASES = `cases:
  - name: writing comes after reading
    calls:
      - call: { tool: write_file, args: { path: a.txt, content: x } }
        expect: deny my-rule
      - read_file: a.txt
      - call: { tool: write_file, args: { path: a.txt, content: x } }
`;

/**
 * Returns the text selected by the address: an agent's rule, a standing rule, an agent's own rules, or a new rule on a
 * tool.
 */
export function startText(
  asked: URLSearchParams,
  agents: readonly AgentRules[],
  standing: readonly Standing[],
): string {
  const [rule, agent, stands, on] = ["rule", "agent", "standing", "on"].map((name) => asked.get(name));
  if (stands) return standing.find(({ id }) => id === stands)?.text ?? FIRST;
  if (rule) {
    const from = agents.filter((one) => !agent || one.agent === agent).flatMap(({ rules }) => rules);
    const text = from.find(({ id }) => id === rule)?.text ?? standing.find(({ id }) => id === rule)?.text;
    return text ?? FIRST;
  }
  if (agent) {
    const own = agents.find((one) => one.agent === agent)?.own ?? "";
    return own === "" ? FIRST : own;
  }
  return on ? `rules:\n  - id: my-rule\n    on: ${JSON.stringify(on)}\n    effect: deny\n` : FIRST;
}

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionClassification } from "../../../base/words/classification.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { TagDimension } from "../../../base/words/prompt.ts";
import { COMPLEXITIES, TOPICS } from "../../../behavior/classification/classification.ts";
import type { ConductPorts } from "../../../engine/session/conduct.ts";
import { loadConfigFile } from "../../host/opening/load-config.ts";

/** The example of seed 000, unchanged. */
const SEED = `agents:
  defaults:
    promptContributors:
      - id: "security-guidelines"
        tags: [{ dimension: "domain", value: "security" }]
        priority: 50
        content: |
          ## Security Guidelines
          - Never commit secrets or credentials
          - Always validate user input
          - Use parameterized queries for database access
      - id: "frontend-patterns"
        tags: [{ dimension: "domain", value: "frontend" }]
        priority: 60
        content: |
          ## Frontend Patterns
          - Use React hooks, not class components
          - Follow the project's component structure
`;

/** Values of every dimension; a session has some and lacks others. */
export const TAGS: { readonly [D in TagDimension]: readonly string[] } = {
  topic: TOPICS,
  complexity: COMPLEXITIES,
  domain: ["security", "frontend"],
  flag: ["security-sensitive", "draft"],
  channel: ["pager", "telegram"],
  custom: ["beta", "gamma"],
};

/** The text of the contributor with this one tag. */
export function mark(dimension: string, value: string): string {
  return `<${dimension}=${value}>`;
}

/** The values of a session with this classification, plus the channel and custom value of the suite. */
export function valuesOf({ topic, complexity, domain, flags }: SessionClassification): {
  readonly [D in TagDimension]: readonly string[];
} {
  return { topic: [topic], complexity: [complexity], domain, flag: flags, channel: ["pager"], custom: ["beta"] };
}

function ownPart(model: string): string {
  const tagged = Object.entries(TAGS).flatMap(([dimension, values]) =>
    values.map(
      (value) => `      - id: "${dimension}-${value}"
        tags: [{ dimension: "${dimension}", value: "${value}" }]
        content: "${mark(dimension, value)}"`,
    ),
  );
  return `  ada:
    identity: { name: Ada, description: the shop's clerk }
    soul: ./soul.md
    memory: preload
    sessionLabels: { enabled: true, model: ${model}, wait: 20s }
    sections: [{ heading: Orders, content: "<section=orders>" }]
    promptContributors:
      - id: everybody
        content: "<untagged>"
${tagged.join("\n")}
channels:
  pager: { guidance: "One line, no links.", interactive: true }
`;
}

/** Writes the configuration to a file and reads it from there, like an operator's. `model` classifies. */
export async function loadTold(
  model: string,
): Promise<{ readonly agent: Agent; readonly ports: Partial<ConductPorts> }> {
  const folder = await mkdtemp(join(tmpdir(), "conduct-told-"));
  try {
    await writeFile(join(folder, "soul.md"), "Count twice before you ship.\n");
    await writeFile(join(folder, "conduct.yaml"), `${SEED}${ownPart(model)}`);
    const loaded = await loadConfigFile(join(folder, "conduct.yaml"));
    if ("error" in loaded) throw new Error(loaded.error.message);
    if ("faults" in loaded.parsed) throw new Error(loaded.parsed.faults.map(({ message }) => message).join("\n"));
    const [agent] = loaded.parsed.agents;
    if (agent === undefined) throw new Error("the configuration gives no agent");
    return { agent, ports: { channels: loaded.parsed.channels } };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { CompletionChecker } from "../../../base/words/hosting/completion.ts";
import type { ContributorTag, PromptContributor } from "../../../base/words/prompt.ts";
import { FileOutputChecker } from "../../../behavior/completion/completion-checkers.ts";
import { ok } from "../../../behavior/completion/decide-stop.ts";
import { RepeatedFailureFeedback } from "../../../behavior/feedback/feedback-providers.ts";
import { ReadBeforeWritePolicy } from "../../../behavior/policy/builtin/read-before-write-policy.ts";
import { SequentialDependencyPolicy } from "../../../behavior/policy/builtin/sequential-dependency-policy.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";

/** Default agent if nothing is configured: small, with one example of each feature. */
export function demoAgent(): Agent {
  return defineAgent({
    name: "demo",
    identity: { name: "Demo", description: "a release engineer for one small project", vibe: "calm, brief, exact" },
    soul: SOUL,
    sections: [
      {
        heading: "Task",
        content:
          "Release the project when you are asked to, and write report.md about it: what was released, what was checked, what is left.",
      },
    ],
    tools: [
      { name: "read_file", description: "Read a file", paths: { path: "read" }, args: ["path"] },
      { name: "write_file", description: "Write a file", paths: { path: "write" }, args: ["path", "content"] },
      { name: "test", description: "Run the tests", args: [] },
      { name: "build", description: "Build the project", args: [] },
      { name: "deploy", description: "Put the build into production", args: [] },
    ],
    policies: [
      new SequentialDependencyPolicy({ name: "deploy-needs-proof", dependencies: { deploy: ["test", "build"] } }),
      new ReadBeforeWritePolicy(),
    ],
    feedback: [{ provider: new RepeatedFailureFeedback({ after: 2 }), trigger: { everyNCalls: 1 } }],
    completion: reportAfterRelease,
    sessionLabels: { enabled: true, model: "local/rules" },
    contributors: CONTRIBUTORS,
  });
}

const report = new FileOutputChecker({ files: ["report.md"] });

/** A report is required only after a release, so a simple greeting gets its answer. */
const reportAfterRelease: CompletionChecker = {
  check: (context) => ((context.session.evidence("deploy")?.ok ?? 0) > 0 ? report.check(context) : ok()),
};

const SOUL = `You would rather release late than wrong. What you have not seen with a tool of yours you do not claim.
Say what you do in one sentence, then do it. When something fails, read the message before you try again.`;

const CONTRIBUTORS: readonly PromptContributor[] = [
  told("One change", 45, [], "One change at a time: test it before you begin the next."),
  told(
    "Security",
    50,
    [
      { dimension: "domain", value: "security" },
      { dimension: "flag", value: "security-sensitive" },
    ],
    "Keys and passwords stay where they are: name them, never print them. Say which input you did not validate.",
  ),
  told(
    "Production",
    52,
    [{ dimension: "flag", value: "production" }],
    "This touches what people use right now. Before `deploy`, say how it would be taken back.",
  ),
  told(
    "Debugging",
    54,
    [{ dimension: "topic", value: "debugging" }],
    "Find a way to see the failure on demand first. Change nothing until you can.",
  ),
  told(
    "Big tasks",
    56,
    [
      { dimension: "complexity", value: "hard" },
      { dimension: "complexity", value: "complex" },
    ],
    "Call review_plan before the first step, and verify_context when a step surprised you.",
  ),
  told(
    "On a phone",
    58,
    [{ dimension: "channel", value: "telegram" }],
    "Lead with the outcome in one line. Details only when you are asked for them.",
  ),
  told(
    "Freeze",
    60,
    [{ dimension: "custom", value: "freeze" }],
    "There is a release freeze: prepare everything up to `build`, and leave `deploy` to a person.",
  ),
];

/** The id is the heading in lower case. */
function told(heading: string, priority: number, tags: readonly ContributorTag[], content: string): PromptContributor {
  const section = { heading, content };
  const id = heading.toLowerCase().replaceAll(" ", "-");
  return { id, priority, ...(tags.length === 0 ? {} : { tags }), contribute: () => section };
}

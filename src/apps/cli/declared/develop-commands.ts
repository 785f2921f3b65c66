import { type ArgsOf, command, flag, type Group, option, positional, words } from "../line/command.ts";

const demoArgs = {
  fast: flag("Without the short pauses that make it readable"),
  keep: flag("Keep the folder that the agent worked in"),
};
export type DemoArgs = ArgsOf<typeof demoArgs>;

export const DEMO = command(
  "A scripted agent goes through the five moments, every decision shown",
  demoArgs,
  async () => (await import("../commands/demo/demo.ts")).demo,
);

const configCheckArgs = { file: positional("The file to check", "conduct.yaml") };
export type ConfigCheckArgs = ArgsOf<typeof configCheckArgs>;

export const CONFIG: Group = {
  description: "The configuration file",
  commands: {
    check: command(
      "Check a conduct.yaml and show every fault, or what its agents are bound to",
      configCheckArgs,
      async () => (await import("../commands/config/config.ts")).configCheck,
    ),
    schema: command(
      "Print the JSON Schema of conduct.yaml, for editors",
      {},
      async () => (await import("../commands/config/config.ts")).configSchemaCommand,
    ),
  },
};

const ruleFileArgs = { file: words("A rule file, or a folder with rules.yaml", "rules.yaml") };
export type RuleFileArgs = ArgsOf<typeof ruleFileArgs>;
const policyExplainArgs = {
  file: positional("A rule file, or a folder with rules.yaml", "rules.yaml"),
  call: option('The call, as JSON: {"tool": …, "args": …} or {"shell": "git push"}'),
  session: option("A file with the calls before it, as in cases.yaml"),
};
export type PolicyExplainArgs = ArgsOf<typeof policyExplainArgs>;
const policySchemaArgs = { cases: flag("That of cases.yaml instead") };
export type PolicySchemaArgs = ArgsOf<typeof policySchemaArgs>;

export const POLICY: Group = {
  description: "Rules: checked, tested, explained",
  commands: {
    check: command(
      "Check rule files or packs and show every fault, or what each rule does",
      ruleFileArgs,
      async () => (await import("../commands/policy/check.ts")).policyCheck,
    ),
    test: command(
      "Run the cases beside rule files or packs on the real engine",
      ruleFileArgs,
      async () => (await import("../commands/policy/run-cases.ts")).policyTest,
    ),
    explain: command(
      "Show which rules are on a call, what each part came to, and the decision",
      policyExplainArgs,
      async () => (await import("../commands/policy/explain.ts")).policyExplain,
    ),
    schema: command(
      "Print the JSON Schema of rule files, for editors",
      policySchemaArgs,
      async () => (await import("../commands/policy/check.ts")).policySchema,
    ),
  },
};

const config = option("The configuration (conduct.yaml, or the agent demo without one)");
const promptPreviewArgs = {
  agent: option("The agent; needed where there are several"),
  user: option("The user whose session it is"),
  channel: option("web, telegram, scheduled, cli or one of your own (cli unless told)"),
  at: option("The time, as 2026-03-06T09:05Z (now unless told)"),
  zone: option("The user's time zone, as Europe/London (UTC unless told)"),
  classification: option('What the session is about: {"topic": …, "complexity": …, "domain": […], "flags": […]}'),
  mode: option("full, minimal or none (the agent's own unless told)"),
  runtime: option("pi, claude, codex or another (pi unless told)"),
  custom: option("Values for contributors tagged custom: a,b"),
  think: flag("With /think switched on"),
  config,
};
export type PromptPreviewArgs = ArgsOf<typeof promptPreviewArgs>;
const promptShowArgs = {
  session: positional("The session's id, or how it begins; last is the newest", "last"),
  turn: option("Which turn; the newest prompt unless told"),
};
export type PromptShowArgs = ArgsOf<typeof promptShowArgs>;
const promptLintArgs = { agent: option("One agent only (all unless told)"), config };
export type PromptLintArgs = ArgsOf<typeof promptLintArgs>;

export const PROMPT: Group = {
  description: "What agents are told: looked at and checked",
  commands: {
    preview: command(
      "Show what an agent is told, line by line with who says it; no model is asked",
      promptPreviewArgs,
      async () => (await import("../commands/prompt/preview.ts")).promptPreview,
    ),
    show: command(
      "What an agent was told in a turn of the past: every line with its contributor",
      promptShowArgs,
      async () => (await import("../commands/prompt/show.ts")).promptShow,
    ),
    lint: command(
      "Check the texts of every agent: names, duplicates, tags that never match, tokens",
      promptLintArgs,
      async () => (await import("../commands/prompt/lint.ts")).promptLint,
    ),
  },
};

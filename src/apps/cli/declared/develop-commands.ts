import {
  type ArgsOf,
  command,
  flag,
  type Group,
  LEVELS,
  option,
  positional,
  valued,
  web,
  words,
} from "../line/command.ts";

const configuration = () => import("../commands/config/config.ts");
const policy = () => import("../commands/policy/check.ts");
const completion = () => import("../commands/completion/completion.ts");
const explain = () => import("../commands/policy/explain.ts");

const demoArgs = {
  fast: flag("Without pauses"),
  keep: flag("Keep the folder that the agent worked in"),
};
export type DemoArgs = ArgsOf<typeof demoArgs>;

export const DEMO = command(
  "Watch a scripted agent go through the five moments, with every decision",
  demoArgs,
  () => import("../commands/demo/demo.ts"),
  "demo",
  "demo --fast",
);

const configCheckArgs = { file: valued("file", positional("The file to check (default: the one in force here)")) };
export type ConfigCheckArgs = ArgsOf<typeof configCheckArgs>;

const configSchemaArgs = {
  file: words("With --install: the files to change (default: the configuration in force and its rules)", ""),
  install: flag("Put the schemas into CONDUCT_HOME and name them in your files, so that editors check them"),
  yes: flag("Do not ask"),
};
export type ConfigSchemaArgs = ArgsOf<typeof configSchemaArgs>;

export const CONFIG: Group = {
  description: "The configuration file",
  commands: {
    check: command(
      "Check a conduct.yaml, and summarize its agents",
      configCheckArgs,
      configuration,
      "configCheck",
      "config check conduct.yaml",
    ),
    schema: command(
      "Print the JSON Schema of conduct.yaml, or install the schemas for your editor",
      configSchemaArgs,
      configuration,
      "configSchemaCommand",
      "config schema --install",
    ),
  },
};

const ruleFileArgs = { file: valued("file", words("A rule file, or a folder with rules.yaml", "rules.yaml")) };
export type RuleFileArgs = ArgsOf<typeof ruleFileArgs>;
const level = valued(LEVELS, option("gentle, standard or strict (default: standard)"));
const checkArgs = { ...ruleFileArgs, level };
export type PolicyCheckArgs = ArgsOf<typeof checkArgs>;
const explainArgs = {
  what: valued(
    "file",
    positional("A command line, for the rules in force here; or a rule file, a pack or a conduct.yaml"),
  ),
  agent: valued("agent", option("The agent whose rules to explain (default: 'default', else the first with rules)")),
  call: option('The call, as JSON: {"tool": …, "args": …} or {"shell": "git push"}'),
  session: valued("file", option("A file with the calls before it, in the format of cases.yaml")),
  level,
};
export type PolicyExplainArgs = ArgsOf<typeof explainArgs>;
const schemaArgs = { cases: flag("The schema of cases.yaml instead") };
export type PolicySchemaArgs = ArgsOf<typeof schemaArgs>;

export const POLICY: Group = {
  description: "Rule files: check, test and explain them",
  commands: {
    check: command(
      "Check rule files or packs, and describe each rule",
      checkArgs,
      policy,
      "policyCheck",
      "policy check rules.yaml --level gentle",
    ),
    test: command(
      "Run the cases next to rule files or packs on the real engine",
      ruleFileArgs,
      policy,
      "policyTest",
      "policy test packs/coding",
    ),
    explain: command(
      "Explain how rules decide on a call in this folder; alone, list the rules in force here",
      explainArgs,
      explain,
      "policyExplain",
      "policy explain 'git push -f'",
    ),
    schema: command(
      "Print the JSON Schema of rule files, for editors",
      schemaArgs,
      policy,
      "policySchema",
      "policy schema --cases",
    ),
  },
};

const config = valued("file", option("The configuration, instead of the one in force here"));
const previewArgs = {
  agent: valued("agent", option("The agent; required if there are several")),
  user: option("The user of the session"),
  channel: valued(
    ["web", "telegram", "scheduled", "cli"],
    option("web, telegram, scheduled, cli or a custom one (default: cli)"),
  ),
  at: option("The time, such as 2026-03-06T09:05Z (default: now)"),
  zone: option("The user's time zone, such as Europe/London (default: UTC)"),
  classification: option('The session\'s topic: {"topic": …, "complexity": …, "domain": […], "flags": […]}'),
  mode: valued(["full", "minimal", "none"], option("full, minimal or none (default: the agent's mode)")),
  runtime: valued(
    ["pi", "claude", "codex"],
    option("pi, claude, codex or another (default: the one that init set up, else pi)"),
  ),
  custom: option("Values for contributors tagged custom: a,b"),
  think: flag("With /think switched on"),
  config,
};
export type PromptPreviewArgs = ArgsOf<typeof previewArgs>;
const showArgs = {
  session: valued("session", positional("The session's id or a prefix; last is the newest", "last")),
  turn: option("The turn (default: the newest prompt)"),
  ...web,
};
export type PromptShowArgs = ArgsOf<typeof showArgs>;
const lintArgs = {
  agent: valued("agent", option("Only this agent (default: all)")),
  model: option("The model that looks for contradictions too, or none (default: review.model)"),
  config,
};
export type PromptLintArgs = ArgsOf<typeof lintArgs>;

export const PROMPT: Group = {
  description: "The prompts of your agents: preview, inspect and lint them",
  commands: {
    preview: command(
      "Show an agent's prompt, each line with its contributor; calls no model",
      previewArgs,
      () => import("../commands/prompt/preview.ts"),
      "promptPreview",
      "prompt preview --agent assistant --channel web",
    ),
    show: command(
      "Show the prompt of a past turn, each line with its contributor",
      showArgs,
      () => import("../commands/prompt/show.ts"),
      "promptShow",
      "prompt show last",
    ),
    lint: command(
      "Check the prompt texts of every agent: names, duplicates, tags that never match, tokens",
      lintArgs,
      () => import("../commands/prompt/lint.ts"),
      "promptLint",
      "prompt lint",
    ),
  },
};

const importArgs = {
  files: valued("file", words("The files to import (default: those found in this folder)", "")),
  agent: valued("agent", option("The agent that gets them (default: coding, else all)")),
  yes: flag("Do not ask about rules and texts; directives are left out"),
  undo: flag("Remove what was imported here"),
};
export type ImportArgs = ArgsOf<typeof importArgs>;

export const IMPORT = command(
  "Turn CLAUDE.md, AGENTS.md, Cursor rules and permission lists into rules and prompt texts",
  importArgs,
  () => import("../commands/import/import.ts"),
  "importFiles",
  "import CLAUDE.md",
);

const exportArgs = {
  file: valued("file", positional("The file to write to, such as AGENTS.md (default: print it)")),
  agent: valued("agent", option("The agent whose texts to export (default: coding, else the first)")),
  yes: flag("Do not ask"),
};
export type ExportArgs = ArgsOf<typeof exportArgs>;

export const EXPORT = command(
  "Write directives, prompt texts and rules as plain instructions, for runtimes without Conduct",
  exportArgs,
  () => import("../commands/import/export.ts"),
  "exportText",
  "export AGENTS.md",
);

const replayArgs = {
  rules: valued("file", option("A rule file or pack that replaces the agents' rules")),
  add: flag("Add these rules to the agents' rules instead"),
  contract: option("A version of the contract: which turns would have had other directives"),
  since: option("How far back: 24h, 7d or 2026-11-15T08:00Z (default: 7d)"),
  for: valued("agent", option("Apply the rules to this agent only")),
  agent: valued("agent", option("Only sessions of this agent")),
  session: valued("session", option("Only this session: its id or a prefix")),
  config,
  ...web,
};
export type ReplayArgs = ArgsOf<typeof replayArgs>;

export const REPLAY = command(
  "Replay recorded sessions under other rules or another contract",
  replayArgs,
  () => import("../commands/replay/replay.ts"),
  "replay",
  "replay --rules rules.yaml --since 24h",
);

const completionArgs = {
  shell: valued(["bash", "zsh", "fish"], words("bash, zsh or fish", "")),
};
export type CompletionArgs = ArgsOf<typeof completionArgs>;

export const COMPLETION = command(
  "Print a script that completes commands, options and ids in your shell",
  completionArgs,
  completion,
  "completion",
  "completion bash",
);

import { z } from "zod";
import { actionSchema, packSchema, ruleSchema, toolSchema } from "../rules/rule-file-schema.ts";
import { emails, webhooks } from "./outgoing-schema.ts";
import { program } from "./program-schema.ts";
import {
  channel,
  checkpoints,
  contributor,
  identity,
  operatorIds,
  promptSettings,
  sessionLabels,
} from "./prompt-schema.ts";
import {
  amount,
  duration,
  exactlyOne,
  heading,
  list,
  MODEL,
  MODEL_FORM,
  map,
  matching,
  modelName,
  named,
  oneOf,
  optional,
  price,
  share,
  text,
  yesOrNo,
} from "./schema-fields.ts";
import { host, server } from "./server-schema.ts";

const tool = map({
  ...toolSchema.shape,
  name: text().describe("The tool's name in calls: read_file, write_file, edit_file, shell, …, or server/name."),
  risk: optional(oneOf("low", "high"), "High-risk tools run in elevated sessions only."),
  paths: optional(
    named(oneOf("read", "write")),
    "The arguments that contain file paths, and whether the tool reads or writes those files.",
  ),
});

const POLICY_KINDS = ["readBeforeWrite", "sequential"] as const;
const policy = exactlyOne(
  map({
    name: optional(text(), "Shown in every denial. Two policies of one agent cannot share a name."),
    readBeforeWrite: optional(
      map({
        readTools: optional(list(text())),
        writeTools: optional(list(text())),
        rearmOnCompaction: optional(yesOrNo()),
      }).nullable(),
      "The agent must read an existing file before it overwrites it.",
    ),
    sequential: optional(
      named(list(text())),
      "Maps a tool or action to the ones that must have succeeded earlier in the session.",
    ),
    rearmOnCompaction: optional(yesOrNo(), "With sequential: compaction clears the evidence."),
  }),
  POLICY_KINDS,
);

const section = map({
  heading: heading(),
  content: text(),
  tools: optional(
    list(text()),
    "Tools or actions that this section describes. The section's policies apply only to these.",
  ),
  policies: optional(list(policy)),
});

const FEEDBACK_KINDS = ["deadline", "static", "tokenBudget", "repeatedFailure"] as const;
const feedback = exactlyOne(
  map({
    name: optional(text(), "Two providers of one agent cannot share a name."),
    deadline: optional(map({ warnAt: optional(duration()) }).nullable()),
    static: optional(text()),
    tokenBudget: optional(map({ cautionAt: optional(share()), warnAt: optional(share()) }).nullable()),
    repeatedFailure: optional(map({ after: optional(amount("whole")) }).nullable()),
    every: optional(map({ seconds: optional(amount("any")), calls: optional(amount("whole")) })),
    on: optional(map({ fileCreated: text() })),
  }),
  FEEDBACK_KINDS,
);

const completion = map({
  files: optional(list(text()), "Files that must exist."),
  evidence: optional(list(text()), "Actions or tools that must have succeeded, and not failed since."),
  command: optional(
    z.union([text(), map({ run: text(), timeout: optional(duration()) })], {
      error: "must be a command, or a map with 'run' and 'timeout'",
    }),
    "A command that must exit with 0.",
  ),
  any: optional(yesOrNo(), "true: one of these is enough. By default all are required."),
});

const amounts = {
  tokens: optional(amount("whole")),
  inputTokens: optional(amount("whole")),
  outputTokens: optional(amount("whole")),
  calls: optional(amount("whole")),
  cost: optional(amount("any"), "US dollars."),
};
const perSession = {
  ...amounts,
  time: optional(duration(), "Maximum duration of a session."),
  deadline: optional(duration(), "Deadline, counted from the start of the session. The agent sees it."),
};

const limits = map({
  ...perSession,
  turn: optional(
    map({
      ...amounts,
      time: optional(duration(), "Maximum duration of a turn."),
      deadline: optional(duration(), "Deadline, counted from the message. The agent sees it."),
    }),
    "Limits of one turn, which answers one message.",
  ),
  session: optional(
    map(perSession),
    "Limits of one session. The same as the keys directly below `limits`; of two, the lower applies.",
  ),
  day: optional(
    map(amounts),
    "Limits of a user's day over all sessions with this agent. The day begins at midnight in the user's time zone.",
  ),
  window: optional(amount("whole"), "The model's context window in tokens. Overrides what the runtime reports."),
  toolResultShare: optional(share(), "Maximum share of the context window for one result."),
  turnResultShare: optional(share(), "Maximum share of the context window for all results of a turn."),
  stops: optional(amount("whole"), "Maximum number of refused stops per turn."),
  gather: optional(duration(), "Timeout for gathering facts before a decision."),
  check: optional(duration(), "Timeout for one policy."),
  completion: optional(duration(), "Timeout for the completion check."),
});

const schedule = map({
  id: optional(text(), "The schedule's name. Default: derived from agent, user and cron."),
  agent: text(),
  user: text(),
  cron: text().describe("Five fields: minute, hour, day, month, weekday. 0 8 * * 1-5 runs at 08:00 on weekdays."),
  zone: optional(text(), "Time zone, such as Europe/London. Default: the user's."),
  say: text().describe("The message to the agent."),
  deliver: optional(
    map({ channel: text(), address: optional(text()) }),
    "Where to send the result. By default it is only stored.",
  ),
});

const ADDRESS = /^https?:\/\/\S+$/;

const endpoint = map({
  baseUrl: optional(
    matching(ADDRESS, "must be an address such as https://models.example.org/v1"),
    "Base URL of the model's API. Default: the provider's own.",
  ),
  api: optional(oneOf("anthropic-messages", "openai-completions", "openai-responses")),
  key: optional(text(), "Name of the environment variable with the API key."),
  window: optional(amount("whole"), "The model's context window in tokens. Default for an own model: 128000."),
  reasoning: optional(
    yesOrNo(),
    "true: the model takes a thinking level, which /think sets. Default for an own model: false.",
  ),
  prices: optional(
    map({
      input: price(),
      output: price(),
      cacheRead: optional(price(), "Default: as input."),
      cacheWrite: optional(price(), "Default: as input."),
    }),
    "US dollars for a million tokens, which count towards `limits.cost`. Default for an own model: 0.",
  ),
}).refine(({ api, baseUrl }) => api === undefined || baseUrl !== undefined, {
  error: "needs 'baseUrl' as well, because it has 'api'",
});

const origin = (what: string) => matching(/^https?:\/\/[^\s/?#@]+$/, `must be ${what}, without a path`);

const gateway = map({
  url: optional(
    origin("an address such as https://conduct.example.org"),
    "The public address, if the gateway is behind an HTTPS proxy.",
  ),
  origins: optional(
    list(origin("an origin such as https://app.example.org")),
    "Other origins whose pages may use the API with a token. Default: none.",
  ),
  streams: optional(amount("whole"), "Maximum number of open event streams per user. Default: 50."),
  webhook: optional(
    matching(ADDRESS, "must be an address such as https://hooks.example.org/conduct"),
    "Receives a POST with JSON when a tool asks the operator for a review. Operators on Telegram and Slack are notified too.",
  ),
  webhooks: optional(
    webhooks,
    "Receivers of signed events, by name: questions, denials, failed turns, contract changes, digests. See docs/guides/reports.md.",
  ),
  emails: optional(
    emails,
    "Receivers of e-mails, by name, over the server in CONDUCT_SMTP_URL: by default the digests of the daily review.",
  ),
  programs: optional(
    list(text()),
    "More folders with programs that sandboxed commands may read and run, such as /root/.pyenv.",
  ),
});

const CHAT = "must be the number of a chat, such as -1001234567890";
const review = map({
  at: optional(
    matching(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "must be a time such as 08:15, in quotes"),
    "When to review the day's sessions. Default: 08:15.",
  ),
  zone: optional(text(), "Time zone of the review, such as Europe/London. Default: the machine's."),
  model: optional(modelName(), "A model that reviews in addition to the built-in reviewer. Default: none."),
  threshold: optional(share(), "Minimum confidence of a proposal. Default: 0.6."),
  runner: optional(
    oneOf("embedded", "dbos", "inngest", "off"),
    "embedded: runs in the gateway. dbos: runs on one of several machines that share a PostgreSQL, and resumes after a crash. inngest: the gateway runs nothing by itself; your Inngest app runs inngestReview of agent-conduct/inngest.",
  ),
  digest: optional(
    map({
      file: optional(text(), "A Markdown file that each run overwrites."),
      telegram: optional(
        z.union([z.number(), z.string().regex(/^-?\d+$/, { error: CHAT })], { error: CHAT }),
        "A chat that receives the digest, with buttons to promote and reject.",
      ),
      slack: optional(
        matching(/^[CDGUW][A-Z0-9]{4,20}$/, "must be the id of a channel or person, such as C012AB3CD"),
        "A Slack channel, or the id of a person, that receives the digest with buttons.",
      ),
    }),
    "Where to publish the findings of a run.",
  ),
});

/** A map with `pack` is no rule, so its faults are those of the other form. */
const inlineRule = ruleSchema.check((context) => {
  const isPack = context.issues.some((issue) => issue.code === "unrecognized_keys" && issue.keys.includes("pack"));
  if (isPack) context.issues.push({ code: "custom", input: context.value, continue: false });
});

/** One agent, or `defaults`. */
export const agentSchema = map({
  model: optional(modelName()),
  runtime: optional(oneOf("pi", "claude"), "The runtime in the gateway. Default: pi."),
  identity: optional(identity, "Who the agent is."),
  soul: optional(text(), "The agent's character, as text or as a file path: ./soul.md."),
  sections: optional(list(section), "Sections of the agent's prompt, in this order."),
  tools: optional(list(tool)),
  actions: optional(named(actionSchema), "Named kinds of calls, such as test for shell with npm test."),
  programs: optional(
    named(program),
    "More programs and what they do, by name. They only add effects. See docs/reference/rules.md.",
  ),
  policies: optional(list(policy), "Policies that apply to every tool."),
  rules: optional(
    list(
      z.union([text(), inlineRule, packSchema], {
        error: "must be a rule file, a folder with rules.yaml in it, a map with 'pack', or a rule",
      }),
    ),
    "Rule files and packs, relative to this file: packs/coding, or { pack: packs/coding, level: gentle }. Or inline rules. See docs/reference/rules.md.",
  ),
  feedback: optional(list(feedback), "Advice that the agent gets after a call."),
  completion: optional(completion, "What must be true before the agent may stop."),
  network: optional(
    list(host),
    "Hosts that commands may reach in the gateway: registry.example.org, *.example.org, 127.0.0.1:8080. Default: none.",
  ),
  mcpServers: optional(
    named(server),
    "MCP servers whose tools the agent has in the gateway, by name: rules call them name/tool.",
  ),
  limits: optional(limits),
  trustedTools: optional(
    list(map({ server: optional(text()), tool: text() })),
    "Tools whose results may carry requirements.",
  ),
  promptContributors: optional(
    list(contributor),
    "Prompt sections for every session, or only for sessions with matching tags.",
  ),
  prompt: optional(promptSettings, "Settings and optional sections of the prompt."),
  sessionLabels: optional(sessionLabels, "Classification of sessions."),
  custom: optional(
    list(text()),
    "Custom tags of the agent's sessions: they select contributors, and rules read them as session.custom.",
  ),
  memory: optional(oneOf("on-demand", "preload", "off"), "How saved notes reach the agent. Default: on-demand."),
  elevation: optional(oneOf("never"), "No message and no option can elevate a session of this agent."),
  checkpoints: optional(checkpoints, "Texts that the checkpoint tools return instead of the built-in ones."),
});

const entryName = (what: string) => matching(/^[^\s/#]+$/, `is not a valid ${what} name: remove spaces, '/' and '#'`);

/** Types, validation and the editors' schema of conduct.yaml all come from this. */
export const configSchema = map({
  agents: z
    .record(entryName("agent"), agentSchema.nullable(), { error: "must be a map from names to agents" })
    .describe(
      "One entry per agent. 'defaults' is not an agent; its settings apply to every agent. A file with only 'defaults' defines one agent, 'main'.",
    ),
  channels: optional(
    z
      .record(entryName("channel"), channel.nullable(), { error: "must be a map from names to channels" })
      .check(operatorIds),
    "More channels, or other settings for web, telegram, slack, scheduled and cli.",
  ),
  gateway: optional(gateway, "Settings of the gateway."),
  review: optional(review, "The daily review. Its proposals take effect only when somebody promotes them."),
  schedules: optional(list(schedule), "Messages that agents get at set times."),
  plugins: optional(
    list(text()),
    "Modules with code of your own, relative to this file: ./plugins/mine.mjs. Only a file in CONDUCT_HOME can name them. See docs/guides/plugins.md.",
  ),
  models: optional(
    z.record(matching(MODEL, MODEL_FORM), endpoint, { error: "must be a map" }),
    "Custom models, or other addresses for known models, by provider/model.",
  ),
});

export type ConfigFile = z.output<typeof configSchema>;
export type GatewayConfig = z.output<typeof gateway>;
export type ReviewConfig = z.output<typeof review>;
export type ScheduleConfig = z.output<typeof schedule>;
export type EndpointConfig = z.output<typeof endpoint>;
export type AgentConfig = z.output<typeof agentSchema>;
export type PolicyConfig = z.output<typeof policy>;
export type FeedbackConfig = z.output<typeof feedback>;
export type CompletionConfig = z.output<typeof completion>;
export type LimitsConfig = z.output<typeof limits>;

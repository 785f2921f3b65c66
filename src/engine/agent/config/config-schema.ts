import { z } from "zod";
import { ruleSchema } from "../rules/rule-file-schema.ts";
import { channel, checkpoints, contributor, identity, promptSettings, sessionLabels } from "./prompt-schema.ts";
import {
  amount,
  duration,
  exactlyOne,
  heading,
  list,
  map,
  modelName,
  named,
  nonEmpty,
  oneOf,
  optional,
  share,
  text,
  yesOrNo,
} from "./schema-fields.ts";

const tool = map({
  name: text().describe("As calls name it: read_file, write_file, edit_file, shell, …, or server/name."),
  description: optional(text()),
  risk: optional(oneOf("low", "high"), "High-risk tools run in elevated sessions only."),
  paths: optional(named(oneOf("read", "write")), "Which arguments name files, and what the tool does to them."),
  args: optional(list(text()), "The names of all its arguments; a rule that names another one is then a fault."),
  prerequisites: optional(nonEmpty(text()), "Tools or actions that must have succeeded in the session before it."),
});

const action = map({
  tool: text(),
  command: optional(text(), "For shell: a pattern over the command line, * stands for anything."),
  implies: optional(nonEmpty(text()), "What else it establishes for rules, with the same arguments."),
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
      "An existing file is overwritten only after it was read.",
    ),
    sequential: optional(
      named(list(text())),
      "A tool or action, and what must have succeeded in the session before it.",
    ),
    rearmOnCompaction: optional(yesOrNo(), "With sequential: what was proven is forgotten at compaction."),
  }),
  POLICY_KINDS,
);

const section = map({
  heading: heading(),
  content: text(),
  tools: optional(list(text()), "Tools or actions that this section introduces; its policies bind these."),
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
  any: optional(yesOrNo(), "true: one of these is enough. Otherwise all must hold."),
});

const limits = map({
  tokens: optional(amount("whole")),
  inputTokens: optional(amount("whole")),
  outputTokens: optional(amount("whole")),
  calls: optional(amount("whole")),
  cost: optional(amount("any")),
  time: optional(duration(), "Time a session may take."),
  deadline: optional(duration(), "From the start of the session; the agent is told."),
  window: optional(amount("whole"), "The model's window in tokens, where the runtime does not tell."),
  toolResultShare: optional(share(), "Share of the window that one result may take."),
  turnResultShare: optional(share(), "Share of the window that all results of a turn may take."),
  stops: optional(amount("whole"), "How often a stop may be refused in one turn."),
  gather: optional(duration(), "Time to look things up before a decision."),
  check: optional(duration(), "Time one policy may take."),
  completion: optional(duration(), "Time the completion check may take."),
});

const schedule = map({
  id: optional(text(), "Its name; made from agent, user and cron unless set."),
  agent: text(),
  user: text(),
  cron: text().describe("Five fields: minute, hour, day, month, weekday. 0 8 * * 1-5 is eight on working days."),
  zone: optional(text(), "Time zone, such as Europe/London; the user's unless set."),
  say: text().describe("What the agent is asked."),
  deliver: optional(
    map({ channel: text(), address: optional(text()) }),
    "Where the result goes; without it the result is only kept.",
  ),
});

const endpoint = map({
  baseUrl: text().describe("Where the model answers."),
  api: optional(oneOf("anthropic-messages", "openai-completions", "openai-responses")),
  key: optional(text(), "The name of the environment variable that holds its key."),
});

const origin = (what: string) =>
  z.string({ error: "must be a text" }).regex(/^https?:\/\/[^\s/?#@]+$/, { error: `must be ${what}, without a path` });

const HOST = /^(?:\*|(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*)(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i;
const host = z.string({ error: "must be a text" }).regex(HOST, {
  error: "must be a host such as registry.example.org, *.example.org or 127.0.0.1:8080, without https:// and path",
});

const gateway = map({
  url: optional(
    origin("an address such as https://conduct.example.org"),
    "Where people reach it, when something that speaks https stands before it.",
  ),
  origins: optional(
    list(origin("an origin such as https://app.example.org")),
    "Other origins whose pages may use the API with a token; none unless set.",
  ),
  streams: optional(amount("whole"), "So many event streams each user may have open at once; 50 unless set."),
  programs: optional(
    list(text()),
    "Further folders with programs that sandboxed commands may read and run, such as /root/.pyenv.",
  ),
});

const review = map({
  at: optional(
    z
      .string({ error: "must be a time such as 08:15" })
      .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: "must be a time such as 08:15, in quotes" }),
    "When the day's sessions are looked at; 08:15 unless set.",
  ),
  zone: optional(text(), "Time zone of that, such as Europe/London; the machine's unless set."),
  model: optional(modelName(), "A model that adds to what the built-in reviewer finds; none unless set."),
  threshold: optional(share(), "What is less sure is not proposed; 0.6 unless set."),
  runner: optional(
    oneOf("embedded", "dbos", "off"),
    "embedded: in the gateway. dbos: one of several machines on one PostgreSQL, and a crash resumes at its step.",
  ),
  digest: optional(
    map({
      file: optional(text(), "A Markdown file that every run writes anew."),
      telegram: optional(
        z.union([z.number(), z.string().regex(/^-?\d+$/)], { error: "must be the number of a chat" }),
        "A chat that is told, with buttons to promote and reject.",
      ),
    }),
    "Where the operator reads what a run has found.",
  ),
});

/** One agent, or `defaults`. */
export const agentSchema = map({
  model: optional(modelName()),
  runtime: optional(oneOf("pi", "claude"), "What the gateway runs it on; pi unless set."),
  identity: optional(identity, "Who the agent is."),
  soul: optional(text(), "What it is at heart, as a text or the path of one: ./soul.md."),
  sections: optional(list(section), "What the agent is told, in this order."),
  tools: optional(list(tool)),
  actions: optional(named(action), "Names for kinds of calls: test is shell with npm test."),
  policies: optional(list(policy), "What it may do; these bind every tool."),
  rules: optional(
    list(z.union([text(), ruleSchema], { error: "must be a rule file, a folder with rules.yaml in it, or a rule" })),
    "Rule files and packs, relative to this file, and rules of its own. docs/rules.md has the language.",
  ),
  feedback: optional(list(feedback), "Advice after a call."),
  completion: optional(completion, "What must be true before it may stop."),
  network: optional(
    list(host),
    "Hosts that its commands may reach in the gateway: registry.example.org, *.example.org, 127.0.0.1:8080; none unless set.",
  ),
  limits: optional(limits),
  trustedTools: optional(
    list(map({ server: optional(text()), tool: text() })),
    "Tools whose results may carry requirements.",
  ),
  promptContributors: optional(
    list(contributor),
    "Sections of the prompt, for every session or for those with one of the tags.",
  ),
  prompt: optional(promptSettings, "How the prompt is made, and what its optional sections say."),
  sessionLabels: optional(sessionLabels, "Whether and by what sessions are classified."),
  memory: optional(oneOf("on-demand", "preload", "off"), "How what was saved reaches the agent; on-demand unless set."),
  elevation: optional(oneOf("never"), "No message and no option can elevate a session of this agent."),
  checkpoints: optional(checkpoints, "What the checkpoint tools return, instead of Conduct's own texts."),
});

const agentName = z.string().regex(/^[^\s/#]+$/, { error: "is no name for an agent: leave out spaces, '/' and '#'" });

const channelName = z
  .string()
  .regex(/^[^\s/#]+$/, { error: "is no name for a channel: leave out spaces, '/' and '#'" });

/** Types, validation and the editors' schema of conduct.yaml all come from this. */
export const configSchema = map({
  agents: z
    .record(agentName, agentSchema.nullable(), { error: "must be a map from names to agents" })
    .describe(
      "One entry per agent; 'defaults' is no agent but merged into every one of them. With nothing else there is one agent, 'main'.",
    ),
  channels: optional(
    z.record(channelName, channel.nullable(), { error: "must be a map from names to channels" }),
    "Channels besides web, telegram, scheduled and cli, or other texts for these.",
  ),
  gateway: optional(gateway, "How the gateway is reached."),
  review: optional(review, "The daily review: what it proposes, nobody has to follow."),
  schedules: optional(list(schedule), "What agents are asked at set times."),
  models: optional(named(endpoint), "Models of your own, or other addresses for known ones, by provider/model."),
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

import { z } from "zod";
import { ruleSchema } from "../rules/rule-file-schema.ts";
import {
  amount,
  duration,
  exactlyOne,
  heading,
  list,
  map,
  modelName,
  named,
  oneOf,
  share,
  text,
  yesOrNo,
} from "./config-fields.ts";
import { channel, checkpoints, contributor, identity, promptSettings, sessionLabels } from "./told-schema.ts";

const tool = map({
  name: text().describe("As calls name it: read_file, write_file, edit_file, shell, …, or server/name."),
  description: text().exactOptional(),
  risk: oneOf("low", "high").exactOptional().describe("High-risk tools run in elevated sessions only."),
  paths: named(oneOf("read", "write"))
    .exactOptional()
    .describe("Which arguments name files, and what the tool does to them."),
  args: list(text())
    .exactOptional()
    .describe("The names of all its arguments; a rule that names another one is then a fault."),
  prerequisites: list(text())
    .min(1, { error: "must not be empty" })
    .exactOptional()
    .describe("Tools or actions that must have succeeded in the session before it."),
});

const action = map({
  tool: text(),
  command: text().exactOptional().describe("For shell: a pattern over the command line, * stands for anything."),
  implies: list(text())
    .min(1, { error: "must not be empty" })
    .exactOptional()
    .describe("What else it establishes for rules, with the same arguments."),
});

const POLICY_KINDS = ["readBeforeWrite", "sequential"] as const;
const policy = exactlyOne(
  map({
    name: text().exactOptional().describe("Shown in every denial. Two policies of one agent cannot share a name."),
    readBeforeWrite: map({
      readTools: list(text()).exactOptional(),
      writeTools: list(text()).exactOptional(),
      rearmOnCompaction: yesOrNo().exactOptional(),
    })
      .nullable()
      .exactOptional()
      .describe("An existing file is overwritten only after it was read."),
    sequential: named(list(text()))
      .exactOptional()
      .describe("A tool or action, and what must have succeeded in the session before it."),
    rearmOnCompaction: yesOrNo()
      .exactOptional()
      .describe("With sequential: what was proven is forgotten at compaction."),
  }),
  POLICY_KINDS,
);

const section = map({
  heading: heading(),
  content: text(),
  tools: list(text())
    .exactOptional()
    .describe("Tools or actions that this section introduces; its policies bind these."),
  policies: list(policy).exactOptional(),
});

const FEEDBACK_KINDS = ["deadline", "static", "tokenBudget", "repeatedFailure"] as const;
const feedback = exactlyOne(
  map({
    name: text().exactOptional().describe("Two providers of one agent cannot share a name."),
    deadline: map({ warnAt: duration().exactOptional() }).nullable().exactOptional(),
    static: text().exactOptional(),
    tokenBudget: map({ cautionAt: share().exactOptional(), warnAt: share().exactOptional() })
      .nullable()
      .exactOptional(),
    repeatedFailure: map({ after: amount("whole").exactOptional() })
      .nullable()
      .exactOptional(),
    every: map({ seconds: amount("any").exactOptional(), calls: amount("whole").exactOptional() }).exactOptional(),
    on: map({ fileCreated: text() }).exactOptional(),
  }),
  FEEDBACK_KINDS,
);

const completion = map({
  files: list(text()).exactOptional().describe("Files that must exist."),
  evidence: list(text()).exactOptional().describe("Actions or tools that must have succeeded, and not failed since."),
  command: z
    .union([text(), map({ run: text(), timeout: duration().exactOptional() })], {
      error: "must be a command, or a map with 'run' and 'timeout'",
    })
    .exactOptional()
    .describe("A command that must exit with 0."),
  any: yesOrNo().exactOptional().describe("true: one of these is enough. Otherwise all must hold."),
});

const limits = map({
  tokens: amount("whole").exactOptional(),
  inputTokens: amount("whole").exactOptional(),
  outputTokens: amount("whole").exactOptional(),
  calls: amount("whole").exactOptional(),
  cost: amount("any").exactOptional(),
  time: duration().exactOptional().describe("Time a session may take."),
  deadline: duration().exactOptional().describe("From the start of the session; the agent is told."),
  window: amount("whole").exactOptional().describe("The model's window in tokens, where the runtime does not tell."),
  toolResultShare: share().exactOptional().describe("Share of the window that one result may take."),
  turnResultShare: share().exactOptional().describe("Share of the window that all results of a turn may take."),
  stops: amount("whole").exactOptional().describe("How often a stop may be refused in one turn."),
  gather: duration().exactOptional().describe("Time to look things up before a decision."),
  check: duration().exactOptional().describe("Time one policy may take."),
  completion: duration().exactOptional().describe("Time the completion check may take."),
});

const schedule = map({
  id: text().exactOptional().describe("Its name; made from agent, user and cron unless set."),
  agent: text(),
  user: text(),
  cron: text().describe("Five fields: minute, hour, day, month, weekday. 0 8 * * 1-5 is eight on working days."),
  zone: text().exactOptional().describe("Time zone, such as Europe/London; the user's unless set."),
  say: text().describe("What the agent is asked."),
  deliver: map({ channel: text(), address: text().exactOptional() })
    .exactOptional()
    .describe("Where the result goes; without it the result is only kept."),
});

const endpoint = map({
  baseUrl: text().describe("Where the model answers."),
  api: oneOf("anthropic-messages", "openai-completions", "openai-responses").exactOptional(),
  key: text().exactOptional().describe("The name of the environment variable that holds its key."),
});

const origin = (what: string) =>
  z.string({ error: "must be a text" }).regex(/^https?:\/\/[^\s/?#@]+$/, { error: `must be ${what}, without a path` });

const HOST = /^(?:\*|(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*)(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i;
const host = z.string({ error: "must be a text" }).regex(HOST, {
  error: "must be a host such as registry.example.org, *.example.org or 127.0.0.1:8080, without https:// and path",
});

const gateway = map({
  url: origin("an address such as https://conduct.example.org")
    .exactOptional()
    .describe("Where people reach it, when something that speaks https stands before it."),
  origins: list(origin("an origin such as https://app.example.org"))
    .exactOptional()
    .describe("Other origins whose pages may use the API with a token; none unless set."),
  streams: amount("whole")
    .exactOptional()
    .describe("So many event streams each user may have open at once; 50 unless set."),
  programs: list(text())
    .exactOptional()
    .describe("Further folders with programs that sandboxed commands may read and run, such as /root/.pyenv."),
});

const review = map({
  at: z
    .string({ error: "must be a time such as 08:15" })
    .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: "must be a time such as 08:15, in quotes" })
    .exactOptional()
    .describe("When the day's sessions are looked at; 08:15 unless set."),
  zone: text().exactOptional().describe("Time zone of that, such as Europe/London; the machine's unless set."),
  model: modelName()
    .exactOptional()
    .describe("A model that adds to what the built-in reviewer finds; none unless set."),
  threshold: share().exactOptional().describe("What is less sure is not proposed; 0.6 unless set."),
  runner: oneOf("embedded", "dbos", "off")
    .exactOptional()
    .describe(
      "embedded: in the gateway. dbos: one of several machines on one PostgreSQL, and a crash resumes at its step.",
    ),
  digest: map({
    file: text().exactOptional().describe("A Markdown file that every run writes anew."),
    telegram: z
      .union([z.number(), z.string().regex(/^-?\d+$/)], { error: "must be the number of a chat" })
      .exactOptional()
      .describe("A chat that is told, with buttons to promote and reject."),
  })
    .exactOptional()
    .describe("Where the operator reads what a run has found."),
});

/** One agent, or what all have in common. */
export const agentSchema = map({
  model: modelName().exactOptional(),
  runtime: oneOf("pi", "claude").exactOptional().describe("What the gateway runs it on; pi unless set."),
  identity: identity.exactOptional().describe("Who the agent is."),
  soul: text().exactOptional().describe("What it is at heart, as a text or the path of one: ./soul.md."),
  sections: list(section).exactOptional().describe("What the agent is told, in this order."),
  tools: list(tool).exactOptional(),
  actions: named(action).exactOptional().describe("Names for kinds of calls: test is shell with npm test."),
  policies: list(policy).exactOptional().describe("What it may do; these bind every tool."),
  rules: list(
    z.union([text(), ruleSchema], { error: "must be a rule file, a folder with rules.yaml in it, or a rule" }),
  )
    .exactOptional()
    .describe("Rule files and packs, relative to this file, and rules of its own. docs/rules.md has the language."),
  feedback: list(feedback).exactOptional().describe("Advice after a call."),
  completion: completion.exactOptional().describe("What must be true before it may stop."),
  network: list(host)
    .exactOptional()
    .describe(
      "Hosts that its commands may reach in the gateway: registry.example.org, *.example.org, 127.0.0.1:8080; none unless set.",
    ),
  limits: limits.exactOptional(),
  trustedTools: list(map({ server: text().exactOptional(), tool: text() }))
    .exactOptional()
    .describe("Tools whose results may carry requirements."),
  promptContributors: list(contributor)
    .exactOptional()
    .describe("Sections of the prompt, for every session or for those with one of the tags."),
  prompt: promptSettings.exactOptional().describe("How the prompt is made, and what its optional sections say."),
  sessionLabels: sessionLabels.exactOptional().describe("Whether and by what sessions are classified."),
  memory: oneOf("on-demand", "preload", "off")
    .exactOptional()
    .describe("How what was saved reaches the agent; on-demand unless set."),
  elevation: oneOf("never").exactOptional().describe("No message and no option can elevate a session of this agent."),
  checkpoints: checkpoints
    .exactOptional()
    .describe("What the checkpoint tools return, instead of Conduct's own texts."),
});

const agentName = z.string().regex(/^[^\s/#]+$/, { error: "is no name for an agent: leave out spaces, '/' and '#'" });

const channelName = z
  .string()
  .regex(/^[^\s/#]+$/, { error: "is no name for a channel: leave out spaces, '/' and '#'" });

/** The one source of what conduct.yaml may say: types, checks and the editors' schema all come from it. */
export const configSchema = map({
  agents: z
    .record(agentName, agentSchema.nullable(), { error: "must be a map from names to agents" })
    .describe(
      "One entry per agent; 'defaults' is no agent but merged into every one of them. With nothing else there is one agent, 'main'.",
    ),
  channels: z
    .record(channelName, channel.nullable(), { error: "must be a map from names to channels" })
    .exactOptional()
    .describe("Channels besides web, telegram, scheduled and cli, or other texts for these."),
  gateway: gateway.exactOptional().describe("How the gateway is reached."),
  review: review.exactOptional().describe("The daily review: what it proposes, nobody has to follow."),
  schedules: list(schedule).exactOptional().describe("What agents are asked at set times."),
  models: named(endpoint)
    .exactOptional()
    .describe("Models of your own, or other addresses for known ones, by provider/model."),
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

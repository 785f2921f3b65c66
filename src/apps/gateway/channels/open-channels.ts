import { loadOptional } from "../../../base/kernel/optional-package.ts";
import type { Clock } from "../../../base/ports/clock.ts";
import type { ConversationsStore } from "../../../base/ports/stores/conversations.ts";
import type { GivenAnswer } from "../../../base/ports/stores/hosting/questions.ts";
import type { UsersStore } from "../../../base/ports/stores/users.ts";
import type { PendingApproval } from "../../../base/words/hosting/question.ts";
import type { ContractService } from "../../../engine/governance/contract-service.ts";
import type { Approvals } from "../agents/approvals.ts";
import { answerRuntime, runtimeQuestions } from "../agents/runtime-questions.ts";
import type { Conversations } from "../conversations/conversations.ts";
import type { GatewayOptions } from "../gateway-options.ts";
import type { Leader } from "../replicas/ownership.ts";
import type { GatewayStores } from "../stores.ts";
import type { RuntimeQuestions } from "./button-press.ts";
import type { Messenger, Posted } from "./messenger.ts";
import { openQuestionPosts } from "./question-posts.ts";

export type ChannelsOptions = Pick<GatewayOptions, "telegram" | "slack"> & {
  readonly conversations: Conversations;
  readonly approvals: Approvals;
  readonly contracts: ContractService;
  readonly stores: Pick<GatewayStores, "answers" | "posts" | "events" | "sessions">;
  readonly store: ConversationsStore;
  readonly users: UsersStore;
  readonly clock: Clock;
  readonly report: (line: string) => void;
  readonly home: string;
  /** This process. */
  readonly self: () => string;
  /** Of several gateways, one polls Telegram, and one posts questions. */
  readonly leader: (name: string) => Leader | undefined;
  /** The agent that answers by default. */
  readonly firstAgent: () => string;
};

export type Channels = Awaited<ReturnType<typeof openChannels>>;

/** Opens the configured chat services. Nothing is received before `connect`. */
export async function openChannels(options: ChannelsOptions) {
  const { approvals, clock, report, stores, home, leader, firstAgent } = options;
  const open = () => runtimeQuestions(stores, clock.now());
  const runtimes: RuntimeQuestions = {
    find: async (approval) => (await open()).find((one) => one.approval === approval),
    answer: (question, given) => answerAt(home, question, given),
  };
  const shared = {
    ...{ conversations: options.conversations, contracts: options.contracts, store: options.store },
    ...{ approvals, clock, report, users: options.users, runtimes },
    answers: { store: stores.answers, self: options.self },
  };
  const onPosted = (channel: Messenger["channel"]) => (approval: string, posted: Posted) =>
    posts.posted(approval, channel, posted);
  const telegram =
    options.telegram &&
    (await loadOptional("grammy", "Telegram", () => import("./telegram.ts"))).openTelegram({
      ...options.telegram,
      ...shared,
      leader: leader("telegram"),
      agent: () => options.telegram?.agent ?? firstAgent(),
      onPosted: onPosted("telegram"),
    });
  const slack =
    options.slack &&
    (await loadOptional("slack-web-api-client", "Slack", () => import("./slack/slack.ts"))).openSlack({
      ...options.slack,
      ...shared,
      agent: () => options.slack?.agent ?? firstAgent(),
      onPosted: onPosted("slack"),
    });
  const services = { telegram, slack };
  const opened = [telegram, slack].filter((one) => one !== undefined);
  const posts = openQuestionPosts({
    messengers: opened.map(({ messenger }) => messenger),
    ...{ posts: stores.posts, events: stores.events, approvals, clock, report, runtimeQuestions: open },
    leader: leader("questions"),
  });
  return {
    ...services,
    /** The connection of each configured service, by name. */
    states: () =>
      Object.entries(services).flatMap(([name, service]) =>
        service === undefined ? [] : [{ name, ...service.state() } as const],
      ),
    /** Throws if the text cannot be delivered. */
    async send(channel: string, address: string, text: string): Promise<void> {
      if (channel !== "telegram" && channel !== "slack")
        throw new Error(`'${channel}' is not a supported channel; use telegram or slack`);
      const service = services[channel];
      if (service === undefined) throw new Error(`${channel === "slack" ? "Slack" : "Telegram"} is not set up`);
      await service.send(address, text);
    },
    /** Sends a text to every operator, by chat service. */
    operators: {
      telegram: telegram && ((text: string) => telegram.tellOperators(text)),
      slack: slack && ((text: string) => slack.tellOperators(text)),
    },
    connect(): void {
      for (const service of opened) service.connect();
      if (opened.length > 0) posts.start();
    },
    async close(): Promise<void> {
      await Promise.all([posts.close(), ...opened.map((service) => service.close())]);
    },
  };
}

/** Resolves to the reason if the answer was not taken. */
async function answerAt(home: string, question: PendingApproval, given: GivenAnswer): Promise<string | undefined> {
  const kind = await answerRuntime(home, question, given);
  switch (kind) {
    case "answered":
      return undefined;
    case "no-daemon":
      return "The daemon of this machine is not running. Start it with: conduct daemon start";
    case "once":
      return "This rule asks every time. Answer yes or no.";
    default:
      return "This question is no longer open.";
  }
}

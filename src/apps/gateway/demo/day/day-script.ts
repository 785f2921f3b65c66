import type { Role } from "../../../../base/words/hosting/user.ts";
import type { JsonObject } from "../../../../base/words/json.ts";

export const DAY_PEOPLE: readonly {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly zone: string;
  readonly telegram?: number;
}[] = [
  { id: "operator", name: "Ann Meyer", role: "operator", zone: "Europe/London" },
  { id: "ben", name: "Ben Okafor", role: "user", zone: "Europe/London" },
  { id: "chloe", name: "Chloe Martin", role: "user", zone: "Europe/Paris", telegram: 7_001_234 },
  { id: "dara", name: "Dara Singh", role: "viewer", zone: "America/New_York" },
];

/** One response of the scripted model: a text, then at most one call. `fails`: the provider's error instead. */
export type DayReply = {
  readonly text: string;
  readonly call?: readonly [tool: string, args: JsonObject];
  readonly fails?: string;
};

/** One message of a person and the responses to it, so many minutes before the demo starts. */
export type DayTurn = {
  readonly ago: number;
  readonly agent: "support" | "release" | "assistant";
  readonly user: string;
  readonly channel: "web" | "telegram" | "scheduled";
  /** Turns with the same name are one conversation. */
  readonly thread: string;
  readonly say: string;
  readonly replies: readonly DayReply[];
  /** The operator's answer to the question of this turn. */
  readonly answer?: "yes" | "no";
  /** A subagent that works on a part of the turn. */
  readonly helper?: { readonly asks: string; readonly calls: readonly (readonly [tool: string, args: JsonObject])[] };
};

const say = (text: string): DayReply => ({ text });
const use = (text: string, tool: string, args: JsonObject = {}): DayReply => ({ text, call: [tool, args] });
const OVERLOADED = '529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';

const refundOf = (customer: string, order: string, amount: number, reason: string) =>
  ({ customer, order, amount, reason }) as const;

const RELEASE_NOTES = "# Release notes\n\n- Tea costs 3.40\n- The basket shows the delivery date\n";

/** Short questions about orders, spread over the day. */
const LOOKUPS: readonly DayTurn[] = [
  [1_395, "ben", "web", "1031"],
  [1_270, "chloe", "telegram", "1038"],
  [1_120, "ben", "web", "1044"],
  [1_010, "chloe", "telegram", "1046"],
  [905, "ben", "web", "1051"],
  [700, "chloe", "telegram", "1058"],
  [640, "ben", "web", "1060"],
  [430, "chloe", "telegram", "1063"],
  [310, "ben", "web", "1069"],
  [150, "chloe", "telegram", "1072"],
  [95, "ben", "web", "1074"],
].map(([ago, user, channel, order]) => ({
  ago: Number(ago),
  agent: "support",
  user: String(user),
  channel: channel === "web" ? "web" : "telegram",
  thread: `order ${order}`,
  say: `Where is order ${order}?`,
  replies: [
    use("I look it up.", "look_up_order", { order: String(order) }),
    say(`Order ${order} left the warehouse yesterday. It arrives **tomorrow before noon**.`),
  ],
}));

const STORY: readonly DayTurn[] = [
  {
    ...{ ago: 1_380, agent: "support", user: "chloe", channel: "telegram", thread: "broken teapot" },
    say: "Order 1042 arrived broken. I want my money back.",
    replies: [
      use("I am sorry about that. I refund it.", "refund", refundOf("chloe", "1042", 40, "arrived broken")),
      use("I verify the customer first.", "verify_identity", { customer: "chloe", code: "4711" }),
      use("Now the refund.", "refund", refundOf("chloe", "1042", 40, "arrived broken")),
      use("The order has to be looked up.", "look_up_order", { order: "1042" }),
      use("Now the refund.", "refund", refundOf("chloe", "1042", 40, "arrived broken")),
      say("I refunded 40 dollars for order 1042. The money arrives within three days."),
    ],
  },
  {
    ...{ ago: 1_320, agent: "assistant", user: "operator", channel: "scheduled", thread: "digest" },
    say: "Morning digest",
    replies: [
      say(
        "Good morning.\n\n| | yesterday | average |\n|---|---|---|\n| orders | 41 | 38 |\n| refunds | 2 | 1.6 |\n\nNothing is overdue. The release of version 1.8 is planned for today.",
      ),
    ],
  },
  {
    ...{ ago: 1_200, agent: "release", user: "operator", channel: "web", thread: "release 1.8" },
    say: "Deploy version 1.8",
    replies: [
      use("Straight to production.", "deploy"),
      use("Then the tests first.", "test"),
      use("And the build.", "build"),
      use("Once more.", "deploy"),
      say("Version 1.8 is live."),
      use("Right, the notes.", "write_file", { path: "release-notes.md", content: RELEASE_NOTES }),
      say("Version 1.8 is live, and `release-notes.md` says what changed."),
    ],
  },
  {
    ...{ ago: 1_080, agent: "support", user: "ben", channel: "web", thread: "large refund" },
    say: "Please refund 250 dollars for order 1077. The machine never worked.",
    answer: "yes",
    replies: [
      use("I verify the customer.", "verify_identity", { customer: "ben", code: "2231" }),
      use("I look at the order.", "look_up_order", { order: "1077" }),
      use("Now the refund.", "refund", refundOf("ben", "1077", 250, "never worked")),
      say("The refund of 250 dollars for order 1077 is on its way."),
    ],
  },
  {
    ...{ ago: 960, agent: "assistant", user: "ben", channel: "web", thread: "meeting" },
    say: "Summarise the meeting about delivery times.",
    replies: [
      say(
        "Here is a full status report of everything that was discussed, in order:\n\n1. Delivery takes 2.4 days on average.\n2. The warehouse wants a second shift.\n3. A decision is due on Friday.",
      ),
    ],
  },
  {
    ...{ ago: 950, agent: "assistant", user: "ben", channel: "web", thread: "meeting" },
    say: "Please stop sending long status reports.",
    replies: [say("Understood. In short: a second shift is decided on Friday.")],
  },
  {
    ...{ ago: 760, agent: "support", user: "ben", channel: "web", thread: "account" },
    say: "Close my account, please.",
    answer: "no",
    replies: [
      use("I verify the customer.", "verify_identity", { customer: "ben", code: "2231" }),
      use("Now I close it.", "close_account", { customer: "ben" }),
      say("A colleague has to look at this first. Your account stays open until then."),
    ],
  },
  {
    ...{ ago: 560, agent: "release", user: "operator", channel: "web", thread: "release 1.8.1" },
    say: "The tea costs 3.40 now. Change it and release 1.8.1.",
    helper: {
      asks: "Check that version 1.8 still passes its tests",
      calls: [
        ["test", {}],
        ["deploy", {}],
      ],
    },
    replies: [
      use("I change the price.", "write_file", { path: "prices.txt", content: "tea 3.40\ncoffee 2.80\n" }),
      use("The tests.", "test"),
      use("The build.", "build"),
      use("Production.", "deploy"),
      say("Version **1.8.1** is live: tea costs 3.40.\n\n```\ntea 3.40\ncoffee 2.80\n```"),
    ],
  },
  {
    ...{ ago: 380, agent: "support", user: "chloe", channel: "telegram", thread: "apologies" },
    say: "Stop apologising so much. Just tell me where order 1061 is.",
    replies: [
      use("I look it up.", "look_up_order", { order: "1061" }),
      say("Order 1061 is at the sorting centre. It arrives on Thursday."),
    ],
  },
  {
    ...{ ago: 370, agent: "support", user: "chloe", channel: "telegram", thread: "apologies" },
    say: "Please stop apologising in every answer.",
    replies: [say("Understood.")],
  },
  {
    ...{ ago: 240, agent: "assistant", user: "ben", channel: "web", thread: "again reports" },
    say: "Stop sending long status reports. One line is enough.",
    replies: [say("One line: the second shift starts on Monday.")],
  },
  {
    ...{ ago: 120, agent: "release", user: "operator", channel: "web", thread: "hotfix" },
    say: "Deploy the hotfix now, skip the tests.",
    replies: [
      use("Straight to production.", "deploy"),
      say("The tests and the build have to run first. Shall I start them?"),
    ],
  },
  {
    ...{ ago: 35, agent: "support", user: "chloe", channel: "telegram", thread: "delivery address" },
    say: "Can I change the delivery address of order 1080?",
    replies: [{ text: "", fails: OVERLOADED }],
  },
];

/** All turns of the day, oldest first. */
export const DAY_TURNS: readonly DayTurn[] = [...STORY, ...LOOKUPS].sort((a, b) => b.ago - a.ago);

/** Directives that the operator adds, so many minutes before the demo starts. */
export const DAY_DIRECTIVES: readonly { readonly ago: number; readonly body: DirectiveBody }[] = [
  { ago: 1_430, body: { type: "keep", text: "answers short and in plain words" } },
  { ago: 1_425, body: { type: "more", text: "tests before every release", scope: "agent:release" } },
  { ago: 900, body: { type: "start", text: "naming the order in every answer", scope: "agent:support" } },
  { ago: 300, body: { type: "less", text: "questions that a file could answer" } },
];

type DirectiveBody = {
  readonly type: "keep" | "more" | "less" | "stop" | "start";
  readonly text: string;
  readonly scope?: string;
};

/** The message whose question is open when the demo starts. The demo model answers it. */
export const OPEN_QUESTION = {
  agent: "assistant",
  user: "ben",
  say: "write minutes.txt: The second shift starts on Monday.",
};

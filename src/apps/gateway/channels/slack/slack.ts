import { setTimeout as sleep } from "node:timers/promises";
import { errorText } from "../../../../base/kernel/error-text.ts";
import type { Clock } from "../../../../base/ports/clock.ts";
import type { ConversationsStore } from "../../../../base/ports/stores/conversations.ts";
import type { UsersStore } from "../../../../base/ports/stores/users.ts";
import type { PendingApproval } from "../../../../base/words/hosting/question.ts";
import type { User } from "../../../../base/words/hosting/user.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import type { ContractService } from "../../../../engine/governance/contract-service.ts";
import type { Approvals } from "../../agents/approvals.ts";
import type { Conversations } from "../../conversations/conversations.ts";
import { BusyError } from "../../conversations/turns.ts";
import { CommandsRefusedError } from "../../sandbox/hosted-commands.ts";
import { onPress, type RuntimeQuestions } from "../button-press.ts";
import { answerOf, conversationAt, personOf } from "../chat.ts";
import { editButtons, questionsOnEdit } from "../contract-edits.ts";
import { answerButtons, type ChannelState, type Messenger, type Posted, proposalButtons } from "../messenger.ts";
import { type AnswerDuty, owedAnswers } from "../owed-answers.ts";
import { isFinalError, slackClient, slackErrorCode } from "./slack-client.ts";
import { type ReadSlackMessage, readPress, readSlack, type SlackPress } from "./slack-message.ts";
import { slackRequests } from "./slack-request.ts";

const FIRST_WAIT_MS = 500;
const LAST_WAIT_MS = 60_000;
/** A stranger gets one refusal in this time. */
const REFUSED_MS = 24 * 3_600_000;
const MOST_REMEMBERED = 10_000;

export type SlackOptions = {
  readonly token: string;
  readonly signingSecret: string;
  /** Base URL of another Web API. */
  readonly apiRoot?: string | undefined;
  /** Slack's ids of operators; they count in direct messages only. */
  readonly operators: readonly string[];
  readonly strangers: "refuse" | "welcome";
  readonly agent: () => string;
  readonly conversations: Conversations;
  readonly store: ConversationsStore;
  readonly users: UsersStore;
  readonly approvals: Approvals;
  readonly contracts: Pick<ContractService, "change" | "state" | "keywords">;
  readonly clock: Clock;
  readonly report: (line: string) => void;
  readonly answers: AnswerDuty;
  readonly runtimes: RuntimeQuestions;
  /** Called after a question was sent to its conversation's channel. */
  readonly onPosted?: (approval: string, posted: Posted) => Promise<void>;
};

export type Slack = ReturnType<typeof openSlack>;

/** Talks to people in Slack, over its Events API. */
export function openSlack(options: SlackOptions) {
  const { token, signingSecret, operators, store, users, conversations, approvals, clock, report } = options;
  const client = slackClient(token, options.apiRoot);
  const read = slackRequests(signingSecret, clock);
  const closing = new AbortController();
  const { signal } = closing;
  const working = new Set<Promise<void>>();
  const refused = new Map<string, number>();
  /** The bot's own user id, once connected. */
  let bot: string | undefined;
  let state: ChannelState = { kind: "connecting" };

  const complain = (what: string, error: unknown) => report(`slack: ${what}: ${describe(error)}`);
  const describe = (error: unknown) => errorText(error).replaceAll(token, "TOKEN");
  const answers = owedAnswers({
    ...options.answers,
    ...{ clock, complain, turnOf: (id) => store.turn(id), isFinal: isFinalError },
    async prepare(turn) {
      const { address = "" } = (await store.read(turn.conversation)) ?? {};
      const text = await answerOf(turn, conversations);
      return async () => {
        if (text !== "") await client.send(address, text);
      };
    },
  });

  /** Listed in conduct.yaml and not demoted in the gateway since. */
  const isOperator = async (id: string) =>
    operators.includes(id) && ((await users.bySlack(id))?.role ?? "operator") === "operator";

  const messenger: Messenger = {
    channel: "slack",
    async operators() {
      const ids: string[] = [];
      for (const id of operators) if (await isOperator(id)) ids.push(id);
      return ids;
    },
    ask: client.ask,
    close: client.close,
  };

  async function onMessage(message: ReadSlackMessage): Promise<void> {
    if (message.isEdit) return onEdit(message);
    const user = await personOf(
      { id: `slack-${message.from}`, name: message.from, slack: message.from },
      operators.includes(message.from),
      () => users.bySlack(message.from),
      options,
    );
    if (user === undefined || user.role === "viewer") return refuse(message, user);
    const { text, address, messageId: id, quotedLines, isPrivate } = message;
    const [channel] = address.split(":");
    const owner = isPrivate ? user.id : `slack-channel-${channel}`;
    const conversation = await conversationAt({ channel: "slack", address, owner }, options);
    if (/^cancel$/i.test(text)) {
      const count = await conversations.cancel(conversation.id);
      return client.send(address, count === 0 ? "Nothing is running." : "Stopped.");
    }
    const sender = { id: message.from, user: user.id, role: user.role === "operator" ? message.role : "user" } as const;
    try {
      await answers.accept(id, () => conversations.submit(conversation, { text, id, sender, quotedLines }));
    } catch (error) {
      if (!(error instanceof BusyError || error instanceof CommandsRefusedError)) throw error;
      await client.send(address, error.message);
    }
  }

  async function refuse({ from, address }: ReadSlackMessage, known: User | undefined): Promise<void> {
    const now = clock.monotonic();
    if ((refused.get(from) ?? Number.NEGATIVE_INFINITY) > now - REFUSED_MS) return;
    if (refused.size >= MOST_REMEMBERED) refused.clear();
    refused.set(from, now);
    const why = known === undefined ? `I don't know you (your Slack id is ${from})` : "You have read-only access";
    await client.send(
      address,
      `${why}. Ask the operator ${known === undefined ? "to add you" : "to give you write access"}.`,
    );
  }

  /** Asks about each directive of an edited message. Other edits are ignored. */
  async function onEdit(message: ReadSlackMessage): Promise<void> {
    const { contracts } = options;
    if (message.role !== "operator" || !(await isOperator(message.from))) return;
    for (const question of await questionsOnEdit(contracts, message, `slack:${message.from}`)) {
      const buttons = editButtons(question);
      if (buttons.length === 0) await client.send(message.address, question.text);
      else await client.ask(message.address, question.text, buttons);
    }
  }

  async function onButton({ data, text, user, channel, message }: SlackPress): Promise<void> {
    const outcome = await onPress(
      {
        ...{ data, text, by: `slack:${user}` },
        user: async () => (await users.bySlack(user))?.id,
        isOperator: () => isOperator(user),
        // Only the operator's own direct messages contain questions of coding runtimes.
        isHere: async ({ session, at }) =>
          at === "runtime" || (await store.read(session))?.address?.split(":")[0] === channel,
      },
      { approvals, clock, runtimes: options.runtimes, contracts: options.contracts },
    );
    if (outcome.text !== undefined) await client.close({ address: channel, message }, outcome.text);
    else await client.whisper(channel, user, outcome.notice);
  }

  async function onQuestion({ session, approval, question, remember }: PendingApproval): Promise<void> {
    const conversation = await store.read(session);
    if (conversation?.channel !== "slack" || conversation.address === undefined) return;
    const posted = await client.ask(conversation.address, question, answerButtons(approval, remember === true));
    await options.onPosted?.(approval, posted);
  }

  /** Handles what Slack does not send again, after the answer to its request. */
  function later(what: string, work: Promise<void>): void {
    const done = work.catch((error: unknown) => complain(what, error)).finally(() => working.delete(done));
    working.add(done);
  }

  /** Reports each new failure once and retries with growing pauses. */
  async function connect(): Promise<void> {
    let last = "";
    for (let failures = 0; !signal.aborted && bot === undefined; failures++) {
      try {
        const { user, name } = await client.identity();
        bot = user;
        state = { kind: "connected", username: name };
        return report(`slack: connected as @${name}`);
      } catch (error) {
        const code = slackErrorCode(error);
        const why =
          code === "invalid_auth" || code === "token_revoked" || code === "account_inactive"
            ? `SLACK REJECTS THE BOT'S TOKEN (${code}), so no messages arrive. Correct SLACK_BOT_TOKEN and restart the gateway`
            : `no connection (${describe(error)}); retrying`;
        if (why !== last) report(`slack: ${why}`);
        state = { kind: "failing", why };
        last = why;
        const wait = Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
        await sleep(wait, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  const unsubscribe = approvals.onAsked((question) => later("a question could not be sent", onQuestion(question)));
  let connecting: Promise<void> | undefined;
  return {
    messenger,
    state: () => state,
    connect(): void {
      connecting ??= connect();
      answers.start();
    },
    /** Handles requests of Slack. A message is stored before it is confirmed; otherwise Slack sends it again. */
    async webhook(request: Request, address: string): Promise<Response> {
      const given = await read(request, address);
      if (given.kind === "challenge") return new Response(given.challenge);
      if (bot === undefined) return new Response(null, { status: 503 });
      if (given.kind === "event") await onEvent(given.event, bot);
      else {
        const press = readPress(given.payload);
        if (press !== undefined) later("a button could not be handled", onButton(press));
      }
      return new Response(null, { status: 200 });
    },
    send: client.send,
    async tellOperators(text: string): Promise<void> {
      for (const operator of operators) await client.send(operator, text);
    },
    /** Sends a candidate with buttons to promote or reject it. */
    async propose(channel: string, text: string, candidate: string): Promise<void> {
      await client.ask(channel, text, proposalButtons(candidate));
    },
    async close(): Promise<void> {
      unsubscribe();
      closing.abort();
      await connecting;
      await Promise.all(working);
      await answers.close();
    },
  };

  async function onEvent(event: JsonObject, self: string): Promise<void> {
    if (event.type !== "message" && event.type !== "app_mention") return;
    const message = readSlack(event, self, operators);
    if ("ignore" in message) return;
    try {
      await onMessage(message);
    } catch (error) {
      complain("a message could not be handled; Slack sends it again", error);
      throw error;
    }
  }
}

import { setTimeout as sleep } from "node:timers/promises";
import { Bot, type Context, GrammyError, InlineKeyboard, webhookCallback } from "grammy";
import { errorText } from "../../../base/kernel/error-text.ts";
import type { Clock } from "../../../base/ports/clock.ts";
import type { ConversationsStore } from "../../../base/ports/stores/conversations.ts";
import type { UsersStore } from "../../../base/ports/stores/users.ts";
import type { Conversation, TurnRecord } from "../../../base/words/hosting/conversation.ts";
import type { PendingApproval } from "../../../base/words/hosting/question.ts";
import type { User } from "../../../base/words/hosting/user.ts";
import type { ContractService } from "../../../engine/governance/contract-service.ts";
import type { Approvals } from "../agents/approvals.ts";
import type { Conversations } from "../conversations/conversations.ts";
import { BusyError } from "../conversations/turns.ts";
import type { Leader } from "../replicas/ownership.ts";
import { CommandsRefusedError } from "../sandbox/hosted-commands.ts";
import { onPress, type RuntimeQuestions } from "./button-press.ts";
import { answerOf, conversationAt, personOf } from "./chat.ts";
import { editButtons, questionsOnEdit } from "./contract-edits.ts";
import { answerButtons, type Messenger, type Posted, proposalButtons } from "./messenger.ts";
import { type AnswerDuty, owedAnswers } from "./owed-answers.ts";
import { splitText } from "./split-text.ts";
import { telegramConnection } from "./telegram-connection.ts";
import { type ReadMessage, readTelegram, type TelegramMessage } from "./telegram-message.ts";
import { guardWebhook } from "./telegram-webhook.ts";

/** Telegram's limit for one message. */
const MAX_TEXT = 4_096;
const TYPING_MS = 4_000;
/** A stranger gets one refusal in this time. */
const REFUSED_MS = 24 * 3_600_000;
const MOST_REMEMBERED = 10_000;
const MOST_TRIES = 4;
const NOT_STORED = "Your message could not be stored, so nothing was done. Send it again in a moment.";

export type TelegramOptions = {
  readonly token: string;
  /** Base URL of another Bot API. */
  readonly apiRoot?: string;
  readonly mode: { readonly kind: "polling" } | { readonly kind: "webhook"; readonly secret: string };
  /** Numeric ids of operators; they count in private chats only. */
  readonly operators: readonly number[];
  readonly strangers: "refuse" | "welcome";
  readonly agent: () => string;
  readonly conversations: Conversations;
  readonly store: ConversationsStore;
  readonly users: UsersStore;
  readonly approvals: Approvals;
  /** Carries out an operator's button press on a proposal or an edited directive. */
  readonly contracts: Pick<ContractService, "change" | "state" | "keywords">;
  readonly clock: Clock;
  readonly report: (line: string) => void;
  /** Decides which of several gateways polls. */
  readonly leader?: Leader;
  readonly answers: AnswerDuty;
  readonly runtimes: RuntimeQuestions;
  /** Called after a question was sent to its conversation's chat. */
  readonly onPosted?: (approval: string, posted: Posted) => Promise<void>;
};

export type Telegram = ReturnType<typeof openTelegram>;

/** Throws if the webhook's secret is too short. */
export function openTelegram(options: TelegramOptions) {
  const { token, apiRoot, mode, conversations, approvals, clock, report } = options;
  if (mode.kind === "webhook" && mode.secret.length < 16)
    throw new Error("the webhook secret needs at least 16 characters, so that nobody can impersonate Telegram");
  const bot = new Bot(token, { client: apiRoot === undefined ? {} : { apiRoot } });
  const complain = (what: string, error: unknown) =>
    report(`telegram: ${what}: ${errorText(error).replaceAll(token, "TOKEN")}`);
  bot.api.config.use(retryLater);
  bot.catch(({ error }) => complain("an update could not be handled", error));
  const refused = new Map<number, number>();
  const answers = owedAnswers({
    ...options.answers,
    ...{ clock, complain, turnOf: (id) => options.store.turn(id), prepare: prepareAnswer },
    // Telegram itself refuses, for example because the person has blocked the bot.
    isFinal: (error) => error instanceof GrammyError,
  });

  /** Sends a text in as many messages as it needs. */
  async function send(chat: string, text: string): Promise<void> {
    // No parse mode, so that nothing in a text is markup.
    for (const piece of splitText(text, MAX_TEXT)) await bot.api.sendMessage(chat, piece);
  }

  async function onMessage({ message, me }: Context): Promise<void> {
    if (message === undefined) return;
    const read = readTelegram(message as TelegramMessage, me, options.operators);
    if ("ignore" in read) return;
    const user = await userOf(read, options);
    if (user === undefined || user.role === "viewer") return refuse(read, user);
    try {
      const conversation = await conversationOf(read, user, options);
      const command = /^\/(start|help|cancel)\b/.exec(read.text)?.[1];
      if (command !== undefined) return await onCommand(command, conversation);
      const role = user.role === "operator" ? read.role : "user";
      const sender = { id: String(read.from.id), user: user.id, role };
      const { text, messageId, quotedLines } = read;
      await answers.accept(messageId, () =>
        conversations.submit(conversation, { text, id: messageId, sender, quotedLines }),
      );
    } catch (error) {
      const isExpected = error instanceof BusyError || error instanceof CommandsRefusedError;
      await send(String(read.chat), isExpected ? error.message : NOT_STORED);
      // The update counts as handled, so Telegram does not send it again.
      if (!isExpected) throw error;
    }
  }

  async function onCommand(command: string, { id, address = "" }: Conversation): Promise<void> {
    if (command === "cancel") {
      const count = await conversations.cancel(id);
      return send(address, count === 0 ? "Nothing is running." : "Stopped.");
    }
    await send(
      address,
      "Just write to me. /cancel stops what I am doing. /new starts a new session. /zone Europe/London sets your time zone. /think, /verbose and /modes switch how I answer. Operators: /contract shows the contract.",
    );
  }

  /** Shows that the bot types until the turn has ended. */
  async function prepareAnswer(turn: TurnRecord): Promise<() => Promise<void>> {
    const { address = "" } = (await options.store.read(turn.conversation)) ?? {};
    const type = () => bot.api.sendChatAction(address, "typing").catch(() => undefined);
    const typing = setInterval(type, TYPING_MS);
    try {
      await type();
      const text = await answerOf(turn, conversations);
      return async () => {
        if (text !== "") await send(address, text);
      };
    } finally {
      clearInterval(typing);
    }
  }

  async function refuse({ from, chat }: ReadMessage, known: User | undefined): Promise<void> {
    const now = clock.monotonic();
    if ((refused.get(from.id) ?? Number.NEGATIVE_INFINITY) > now - REFUSED_MS) return;
    if (refused.size >= MOST_REMEMBERED) refused.clear();
    refused.set(from.id, now);
    const why = known === undefined ? `I don't know you (your id is ${from.id})` : "You have read-only access";
    await send(
      String(chat),
      `${why}. Ask the operator ${known === undefined ? "to add you" : "to give you write access"}.`,
    );
  }

  const messenger: Messenger = {
    channel: "telegram",
    async operators() {
      const chats: string[] = [];
      for (const id of options.operators) if (await isOperator(id)) chats.push(String(id));
      return chats;
    },
    async ask(address, text, buttons) {
      const keyboard = new InlineKeyboard();
      for (const [label, data] of buttons) keyboard.text(label, data);
      const [first = "May I?"] = splitText(text, MAX_TEXT);
      const sent = await bot.api.sendMessage(address, first, { reply_markup: keyboard });
      return { address, message: String(sent.message_id) };
    },
    async close({ address, message }, text) {
      const [first = ""] = splitText(text, MAX_TEXT);
      await bot.api.editMessageText(address, Number(message), first).catch((error: unknown) => {
        // Whoever pressed the button sees this text already.
        if (!errorText(error).includes("message is not modified")) throw error;
      });
    },
  };

  async function onQuestion({ session, approval, question, remember }: PendingApproval): Promise<void> {
    const conversation = await options.store.read(session);
    if (conversation?.channel !== "telegram" || conversation.address === undefined) return;
    const posted = await messenger.ask(conversation.address, question, answerButtons(approval, remember === true));
    await options.onPosted?.(approval, posted);
  }

  /** Sends a candidate with buttons to promote or reject it. */
  async function propose(chat: string, text: string, candidate: string): Promise<void> {
    await messenger.ask(chat, text, proposalButtons(candidate));
  }

  /** Asks about each directive of an edited message. Other edits are ignored. */
  async function onEdit({ editedMessage, me }: Context): Promise<void> {
    const { contracts } = options;
    const read = editedMessage && readTelegram(editedMessage as TelegramMessage, me, options.operators);
    if (read === undefined || "ignore" in read || read.role !== "operator") return;
    if (!(await isOperator(read.from.id))) return;
    const chat = String(read.chat);
    for (const question of await questionsOnEdit(contracts, read, `telegram:${read.from.id}`)) {
      const buttons = editButtons(question);
      if (buttons.length === 0) await send(chat, question.text);
      else await messenger.ask(chat, question.text, buttons);
    }
  }

  /** Listed in conduct.yaml and not demoted in the gateway since. */
  const isOperator = async (telegram: number) =>
    options.operators.includes(telegram) &&
    ((await options.users.byTelegram(telegram))?.role ?? "operator") === "operator";

  async function onButton(context: Context): Promise<void> {
    const { message, from, data = "" } = context.callbackQuery ?? {};
    const chat = message === undefined ? undefined : String(message.chat.id);
    const presser = from?.id ?? 0;
    const outcome = await onPress(
      {
        data,
        text: splitText(message?.text ?? "", MAX_TEXT - 300)[0] ?? "",
        by: `telegram:${presser}`,
        user: async () => (await options.users.byTelegram(presser))?.id,
        isOperator: () => isOperator(presser),
        async isHere({ session, at }) {
          if (at === "runtime") return chat === String(presser);
          return chat !== undefined && chat === (await options.store.read(session))?.address;
        },
      },
      { approvals, clock, runtimes: options.runtimes, contracts: options.contracts },
    );
    await context.answerCallbackQuery({ text: outcome.notice.slice(0, 190), show_alert: outcome.isRefused === true });
    if (outcome.text !== undefined) await context.editMessageText(outcome.text.slice(0, MAX_TEXT));
  }

  bot.on("message", onMessage);
  bot.on("edited_message", onEdit);
  bot.on("callback_query:data", onButton);
  const unsubscribe = approvals.onAsked((question) => {
    onQuestion(question).catch((error: unknown) => complain("a question could not be sent", error));
  });
  const connection = telegramConnection(bot, {
    polling: mode.kind === "polling",
    leader: options.leader,
    report: (line) => report(line.replaceAll(token, "TOKEN")),
  });
  const webhook =
    mode.kind === "webhook"
      ? guardWebhook({ secret: mode.secret, clock, handle: webhookCallback(bot, "std/http") })
      : undefined;
  return {
    ...connection,
    connect(): void {
      connection.connect();
      answers.start();
    },
    /** Handles webhook requests; answers 503 until connected. */
    async webhook(request: Request, address: string): Promise<Response> {
      if (webhook === undefined) return new Response(null, { status: 404 });
      // Telegram retries later.
      if (!bot.isInited()) return new Response(null, { status: 503 });
      return webhook(request, address);
    },
    send,
    messenger,
    /** Operators count in private chats only, which have their own number. */
    async tellOperators(text: string): Promise<void> {
      for (const operator of options.operators) await send(String(operator), text);
    },
    propose,
    async close(): Promise<void> {
      unsubscribe();
      await connection.close();
      await answers.close();
    },
  };
}

/** Waits as long as Telegram asks, then retries. */
const retryLater: Parameters<Bot["api"]["config"]["use"]>[0] = async (previous, method, payload, signal) => {
  for (let tries = 1; ; tries++) {
    const result = await previous(method, payload, signal);
    const wait = result.ok ? undefined : result.parameters?.retry_after;
    if (wait === undefined || tries >= MOST_TRIES || wait > 60) return result;
    await sleep(wait * 1_000);
  }
};

async function userOf(read: ReadMessage, options: TelegramOptions): Promise<User | undefined> {
  const { id, name } = read.from;
  const draft = { id: `telegram-${id}`, name, telegram: id };
  return personOf(draft, options.operators.includes(id), () => options.users.byTelegram(id), options);
}

/** One conversation per chat. */
function conversationOf({ chat, isPrivate }: ReadMessage, user: User, options: TelegramOptions): Promise<Conversation> {
  const owner = isPrivate ? user.id : `telegram-chat-${chat}`;
  return conversationAt({ channel: "telegram", address: String(chat), owner }, options);
}

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
import { type AnswerDuty, owedAnswers } from "./owed-answers.ts";
import { splitText } from "./split-text.ts";
import { telegramConnection } from "./telegram-connection.ts";
import { changeOfAnswer, questionsOnEdit } from "./telegram-edits.ts";
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
  readonly contracts: Pick<ContractService, "change" | "state">;
  readonly clock: Clock;
  readonly report: (line: string) => void;
  /** Decides which of several gateways polls. */
  readonly leader?: Leader;
  readonly answers: AnswerDuty;
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
    const notes: string[] = [];
    const stop = conversations.updates.subscribe(turn.conversation, (update) => {
      if (update.kind === "note" && update.turn === turn.id) notes.push(update.text);
    });
    const type = () => bot.api.sendChatAction(address, "typing").catch(() => undefined);
    const typing = setInterval(type, TYPING_MS);
    try {
      await type();
      const ended = await conversations.ended(turn);
      const text = [ended.answer, ...notes, endOf(ended)].filter((part) => part !== undefined && part.trim() !== "");
      return async () => {
        if (text.length > 0) await send(address, text.join("\n\n"));
      };
    } finally {
      clearInterval(typing);
      stop();
    }
  }

  async function refuse({ from, chat }: ReadMessage, known: User | undefined): Promise<void> {
    const now = clock.monotonic();
    if ((refused.get(from.id) ?? Number.NEGATIVE_INFINITY) > now - REFUSED_MS) return;
    if (refused.size >= MOST_REMEMBERED) refused.clear();
    refused.set(from.id, now);
    const why = known === undefined ? `I don't know you (your id is ${from.id})` : "You have read-only access";
    await send(String(chat), `${why}. Ask the operator ${known === undefined ? "to add you" : "to change that"}.`);
  }

  /** The button data has the form `KIND:ID:CHOICE`. */
  async function sendWithButtons(chat: string, text: string, buttons: readonly (readonly [string, string])[]) {
    const keyboard = new InlineKeyboard();
    for (const [label, data] of buttons) keyboard.text(label, data);
    await bot.api.sendMessage(chat, splitText(text, MAX_TEXT)[0] ?? "May I?", { reply_markup: keyboard });
  }

  async function onQuestion({ session, approval, question, remember }: PendingApproval): Promise<void> {
    const conversation = await options.store.read(session);
    if (conversation?.channel !== "telegram" || conversation.address === undefined) return;
    const always = remember === true ? [["Always in this session", `a:${approval}:always`] as const] : [];
    const buttons = [["Yes", `a:${approval}:yes`] as const, ["No", `a:${approval}:no`] as const, ...always];
    await sendWithButtons(conversation.address, question, buttons);
  }

  /** Sends a candidate with buttons to promote or reject it. */
  async function propose(chat: string, text: string, candidate: string): Promise<void> {
    const buttons = [["Promote", `c:${candidate}:promote`] as const, ["Reject", `c:${candidate}:reject`] as const];
    await sendWithButtons(chat, text, buttons);
  }

  /** Asks about each directive of an edited message. Other edits are ignored. */
  async function onEdit({ editedMessage, me }: Context): Promise<void> {
    const { contracts } = options;
    const read = editedMessage && readTelegram(editedMessage as TelegramMessage, me, options.operators);
    if (read === undefined || "ignore" in read || read.role !== "operator") return;
    if (!(await isOperator(read.from.id))) return;
    const chat = String(read.chat);
    for (const { text, directive, how } of await questionsOnEdit(contracts, read, `telegram:${read.from.id}`)) {
      if (how === undefined) await send(chat, text);
      else {
        const yes = [how === "replace" ? "Replace" : "Remove", `e:${directive}:${how}`] as const;
        await sendWithButtons(chat, text, [yes, ["Keep", `e:${directive}:keep`]]);
      }
    }
  }

  async function onEditAnswer(context: Context, id: string, how: string): Promise<void> {
    const presser = context.callbackQuery?.from.id ?? 0;
    const question = context.callbackQuery?.message?.text ?? "";
    if (!(await isOperator(presser))) return notAllowed(context);
    const request = how === "keep" ? undefined : changeOfAnswer(id, how, question);
    const decision = request && (await options.contracts.change(request, `telegram:${presser}`));
    if (decision?.kind === "refused") {
      await context.answerCallbackQuery({ text: decision.message.slice(0, 190), show_alert: true });
      return void (await context.editMessageText(`${question}\n\n${decision.message}`.slice(0, MAX_TEXT)));
    }
    const done = decision?.contract;
    const outcome =
      done === undefined ? "kept" : `✓ ${decision?.outcome} · contract v${done.version} ${done.hash.slice(0, 6)}`;
    await context.answerCallbackQuery({ text: done === undefined ? "Nothing was changed." : "Changed." });
    await context.editMessageText(`${question}\n\n${outcome} · by ${presser}`.slice(0, MAX_TEXT));
  }

  async function notAllowed(context: Context): Promise<void> {
    await context.answerCallbackQuery({ text: "You are not allowed to decide this.", show_alert: true });
  }

  /** Listed in conduct.yaml and not demoted in the gateway since. */
  const isOperator = async (telegram: number) =>
    options.operators.includes(telegram) &&
    ((await options.users.byTelegram(telegram))?.role ?? "operator") === "operator";

  async function onProposal(context: Context, id: string, kind: "promote" | "reject"): Promise<void> {
    const { callbackQuery } = context;
    const presser = callbackQuery?.from.id ?? 0;
    if (!(await isOperator(presser))) return notAllowed(context);
    const by = `telegram:${presser}`;
    const decision = await options.contracts.change(
      kind === "promote" ? { kind, id } : { kind, id, reason: "rejected in Telegram" },
      by,
    );
    const told = callbackQuery?.message?.text ?? id;
    const [text = ""] = splitText(told, MAX_TEXT - 300);
    if (decision.kind === "refused") {
      await context.answerCallbackQuery({ text: decision.message.slice(0, 190), show_alert: true });
      // A blocked proposal can be pressed again; a decided one cannot.
      const open = decision.code === "BEHAVIOR_CONFLICT" || decision.code === "BEHAVIOR_CONTRACT_CAP";
      if (!open) await context.editMessageText(`${text}\n\n${decision.message}`.slice(0, MAX_TEXT));
      return;
    }
    await context.answerCallbackQuery({ text: kind === "promote" ? "Promoted." : "Rejected." });
    const { version, hash } = decision.contract;
    const outcome = kind === "promote" ? `✓ promoted · contract v${version} ${hash.slice(0, 6)}` : "✗ rejected";
    await context.editMessageText(`${text}\n\n${outcome} · by ${presser}`);
  }

  async function onButton(context: Context): Promise<void> {
    const { callbackQuery } = context;
    const [, candidate, choice] = /^c:([\w-]+):(promote|reject)$/.exec(callbackQuery?.data ?? "") ?? [];
    if (candidate !== undefined) return onProposal(context, candidate, choice === "promote" ? "promote" : "reject");
    const [, edited, how = ""] = /^e:([\w-]+):(replace|remove|keep)$/.exec(callbackQuery?.data ?? "") ?? [];
    if (edited !== undefined) return onEditAnswer(context, edited, how);
    const [, approval = "", answer] = /^a:([\w-]+):(yes|no|always)$/.exec(callbackQuery?.data ?? "") ?? [];
    const question = await approvals.find(approval);
    const conversation = question === undefined ? undefined : await options.store.read(question.session);
    const chat = callbackQuery?.message?.chat.id;
    const presser = callbackQuery?.from.id ?? 0;
    const isTheirs = question !== undefined && (await options.users.byTelegram(presser))?.id === question.user;
    const may = isTheirs || (await isOperator(presser));
    const isHere = chat !== undefined && String(chat) === conversation?.address;
    const isOffered = answer === "yes" || answer === "no" || (answer === "always" && question?.remember === true);
    if (question === undefined || !isHere || !isOffered)
      return void (await context.answerCallbackQuery({ text: "This question is no longer open." }));
    if (!may)
      return void (await context.answerCallbackQuery({
        text: "You are not allowed to answer this.",
        show_alert: true,
      }));
    const taken = await approvals.answer(approval, { answer, by: `telegram:${presser}` }, clock.now());
    await context.answerCallbackQuery({ text: taken ? "Noted." : "This question is no longer open." });
    const outcome = taken ? (answer === "no" ? "✗ no" : `✓ ${answer}`) : "expired";
    const [text = ""] = splitText(question.question, MAX_TEXT - 40);
    await context.editMessageText(`${text}\n\n${outcome}`);
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

async function userOf(
  read: ReadMessage,
  { users, operators, strangers, clock }: TelegramOptions,
): Promise<User | undefined> {
  const known = await users.byTelegram(read.from.id);
  if (known !== undefined) return known;
  const isOperator = operators.includes(read.from.id);
  if (!isOperator && strangers === "refuse") return undefined;
  const user: User = {
    id: `telegram-${read.from.id}`,
    name: read.from.name.slice(0, 100),
    role: isOperator ? "operator" : "user",
    telegram: read.from.id,
    at: clock.now(),
  };
  // Of two concurrent messages only one adds the user. An account that an operator unlinked is not linked again.
  return (await users.add(user)) === "added" ? user : users.byTelegram(read.from.id);
}

/**
 * One conversation per chat. A group's conversation belongs to the group, so no member's instructions are used there.
 */
async function conversationOf(
  { chat, isPrivate }: ReadMessage,
  user: User,
  { store, conversations, agent }: TelegramOptions,
): Promise<Conversation> {
  const address = String(chat);
  const known = await store.at("telegram", address);
  if (known !== undefined && known.agent === agent()) return known;
  const owner = isPrivate ? user.id : `telegram-chat-${chat}`;
  return conversations.start({ agent: agent(), user: owner, channel: "telegram", address });
}

function endOf({ status, why }: TurnRecord): string | undefined {
  switch (status) {
    case "failed":
      return `That failed: ${why ?? "unknown"}.`;
    case "interrupted":
      return why;
    case "incomplete":
    case "bypassed":
    case "ended-by-policy":
      return `(ended ${status}${why === undefined ? "" : `: ${why}`})`;
    default:
      return undefined;
  }
}

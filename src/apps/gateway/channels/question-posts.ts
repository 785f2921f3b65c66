import { errorText } from "../../../base/kernel/error-text.ts";
import type { Clock } from "../../../base/ports/clock.ts";
import type { EventJournal } from "../../../base/ports/stores/event-journal.ts";
import type { PostsStore, QuestionPost } from "../../../base/ports/stores/hosting/posts.ts";
import type { PendingApproval } from "../../../base/words/hosting/question.ts";
import type { Approvals } from "../agents/approvals.ts";
import type { Leader } from "../replicas/ownership.ts";
import { outcomeText } from "./button-press.ts";
import { answerButtons, type Messenger, type Posted } from "./messenger.ts";

const LOOK_MS = 1_000;

export type QuestionPostsOptions = {
  readonly messengers: readonly Messenger[];
  readonly posts: PostsStore;
  readonly events: Pick<EventJournal, "findDecision">;
  readonly approvals: Pick<Approvals, "list">;
  /** Open questions of coding runtimes on this machine. */
  readonly runtimeQuestions: () => Promise<readonly PendingApproval[]>;
  readonly clock: Clock;
  readonly report: (line: string) => void;
  /** Decides which of several gateways posts. */
  readonly leader?: Leader | undefined;
};

/**
 * Keeps questions in chats up to date. Questions of coding runtimes go to every operator's private chat. A question
 * that was answered elsewhere, or that has expired, shows so and loses its buttons. A question may be posted twice if
 * the gateway ends between sending and storing the post.
 */
export function openQuestionPosts(options: QuestionPostsOptions) {
  const { messengers, posts, events, approvals, runtimeQuestions, clock, report, leader } = options;
  const ofChannel = new Map(messengers.map((one) => [one.channel as string, one]));
  const complaints = new Set<string>();
  /** Questions that a chat service refused; they are not sent again by this process. */
  const failed = new Set<string>();

  function complain(what: string, error: unknown): void {
    const line = `questions in chats: ${what}: ${errorText(error)}`;
    if (complaints.has(line)) return;
    complaints.add(line);
    report(line);
  }

  async function post(question: PendingApproval, messenger: Messenger, operator: string): Promise<void> {
    const { approval, agent, session, rule, question: text, remember } = question;
    const whole = `${text}\n\n${agent} · session ${session} · rule ${rule}`;
    const { address, message } = await messenger.ask(operator, whole, answerButtons(approval, remember === true));
    await posts.add({ approval, channel: messenger.channel, address, message, operator }, clock.now());
  }

  async function postOpen(open: readonly PendingApproval[], known: readonly QuestionPost[]): Promise<void> {
    if (open.length === 0) return;
    for (const messenger of messengers) {
      for (const operator of await messenger.operators()) {
        for (const question of open) {
          const key = `${question.approval} ${messenger.channel} ${operator}`;
          const isThere = ({ approval, channel, operator: to }: QuestionPost) => `${approval} ${channel} ${to}` === key;
          if (failed.has(key) || known.some(isThere)) continue;
          await post(question, messenger, operator).catch((error: unknown) => {
            failed.add(key);
            complain(`the question could not be sent to operator ${operator} on ${messenger.channel}`, error);
          });
        }
      }
    }
  }

  /** Shows the outcome of a question that is no longer open. */
  async function close(one: QuestionPost): Promise<void> {
    if (!(await posts.remove(one))) return;
    const found = (await events.findDecision(one.approval)).map(({ event }) => event);
    const given = found.findLast((event) => event.type === "approval");
    const call = found.find((event) => event.type === "call");
    const question = call?.type === "call" && call.decision.kind === "ask" ? call.decision.question : "A question";
    const outcome = given?.type === "approval" ? outcomeText(given) : "no longer open: nobody answered it";
    await ofChannel.get(one.channel)?.close(one, `${question}\n\n${outcome}`);
  }

  async function look(): Promise<void> {
    if (leader !== undefined && !(await leader.take())) return;
    const known = await posts.list();
    const asked = await runtimeQuestions();
    await postOpen(asked, known);
    if (known.length === 0) return;
    const open = new Set([...asked, ...(await approvals.list(clock.now()))].map(({ approval }) => approval));
    for (const one of known) {
      if (!open.has(one.approval))
        await close(one).catch((error: unknown) => complain("an outcome could not be shown", error));
    }
  }

  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    start(): void {
      timer = setInterval(() => {
        looking ??= look()
          .catch((error: unknown) => complain("the questions could not be read", error))
          .finally(() => {
            looking = undefined;
          });
      }, LOOK_MS).unref();
    },
    /** Stores that a question was sent to its conversation's own chat. */
    posted: (approval: string, channel: Messenger["channel"], { address, message }: Posted) =>
      posts.add({ approval, channel, address, message, operator: "" }, clock.now()),
    async close(): Promise<void> {
      clearInterval(timer);
      await looking;
      await leader?.give();
    },
  };
}

import { asList, asObject, isObject } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { PersistentSession } from "../../../engine/session/persistent-session.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import { MomentError } from "./moment-error.ts";

/** The latest replies of a session, saved with its state. The oldest are dropped first. */
const MOST_REPLIES = 50;
const MOST_CHARS = 64 * 1024;
/** A longer reply is not stored: its request is known to be answered, but cannot be answered again. */
const LONGEST_REPLY = 32 * 1024;

/** `asked` is the hash of the request; `reply` is absent if it was too long to store. */
type KeptReply = { readonly key: string; readonly asked: string; readonly reply?: JsonObject };

/** A request that has a name. `asked` identifies its content. */
export type NamedRequest = { readonly key: string; readonly asked: string };

export type OnceOptions<T> = {
  /** A reply that is not final is not stored, so the request can be sent again. */
  readonly isFinal?: (reply: T) => boolean;
  /** Running the request again does no harm; it runs again if its reply was too long to store. */
  readonly isRepeatable?: boolean;
};

/** Requests in progress: a second one with the same name gets the same answer. */
const underWay = new WeakMap<
  SessionMoments,
  Map<string, { readonly asked: string; readonly reply: Promise<unknown> }>
>();

/**
 * Runs a moment once. Its reply is saved in one write with the state that it led to, so a repeated request gets the same
 * reply also after a crash. Rejects with a `MomentError` if the name was used for another request.
 */
export async function answerOnce<T extends object>(
  session: SessionMoments,
  request: NamedRequest | undefined,
  run: (session: SessionMoments) => Promise<T>,
  options: OnceOptions<T> = {},
): Promise<T> {
  if (!(session instanceof PersistentSession)) return run(session);
  if (request === undefined) return session.answerWith(run, () => ({}));
  const { key, asked } = request;
  const known = repliesOf(session).find((one) => one.key === key);
  if (known !== undefined && (known.reply !== undefined || known.asked !== asked || options.isRepeatable !== true)) {
    if (known.asked !== asked) throw reused(key);
    if (known.reply === undefined)
      throw new MomentError(
        409,
        "ANSWERED",
        `The request '${key}' was answered, and its answer was too long to store.`,
      );
    // An earlier save may have failed.
    await session.save();
    return known.reply as T;
  }
  const running = underWay.get(session) ?? new Map();
  underWay.set(session, running);
  const same = running.get(key);
  if (same !== undefined && same.asked !== asked) throw reused(key);
  if (same !== undefined) return same.reply as Promise<T>;
  const reply = session.answerWith(run, (value) =>
    options.isFinal?.(value) === false ? {} : { replies: withReply(repliesOf(session), request, value) },
  );
  running.set(key, { asked, reply });
  return reply.finally(() => running.delete(key));
}

/** The stored reply to a request; `undefined` if there is none. */
export function storedReply(session: SessionMoments, key: string): JsonObject | undefined {
  return session instanceof PersistentSession ? repliesOf(session).find((one) => one.key === key)?.reply : undefined;
}

function reused(key: string): MomentError {
  const message = `The id of '${key}' was used for another request of this session.`;
  return new MomentError(409, "ID_REUSED", message, "Use a new id for every call and request.");
}

function repliesOf({ details }: PersistentSession): readonly KeptReply[] {
  return asList(details.replies)
    .filter(isObject)
    .map(({ key, asked, reply }) => ({
      key: String(key),
      asked: String(asked),
      reply: reply === undefined ? undefined : asObject(reply),
    }));
}

function withReply(replies: readonly KeptReply[], { key, asked }: NamedRequest, value: object): readonly KeptReply[] {
  const text = JSON.stringify(value);
  const reply = text.length > LONGEST_REPLY ? undefined : asObject(JSON.parse(text));
  const all = [...replies.filter((one) => one.key !== key), { key, asked, reply }].slice(-MOST_REPLIES);
  let chars = 0;
  const first = all.findLastIndex((one) => {
    chars += JSON.stringify(one).length;
    return chars > MOST_CHARS;
  });
  return all.slice(first + 1);
}

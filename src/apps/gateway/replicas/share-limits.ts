import type { JsonObject } from "../../../base/words/json.ts";
import type { Limits } from "../http/limits.ts";

/** What was spent within this time is sent together, so a client may exceed a limit by what it sends in it. */
const GATHER_MS = 250;
/** Open streams are sent again after this time, for gateways that started since or missed a message. */
const REPEAT_MS = 10_000;

type Counts = { readonly [who: string]: number };

/** `spent`: requests since the last message, by limit and caller. `open`: all open streams of this gateway, by user. */
type LimitsNews = {
  readonly kind: "limits";
  readonly from: string;
  readonly spent: Readonly<Record<"rate" | "frequent", Counts>>;
  readonly open: Counts;
};

export type ShareLimitsOptions = {
  readonly limits: Limits;
  readonly self: () => string;
  readonly isAlive: (replica: string) => boolean;
  readonly publish: (bodies: readonly JsonObject[]) => Promise<void>;
  /** Whether there is anybody to send to. */
  readonly hasOthers: () => boolean;
};

/**
 * Makes the limits count over all gateways: each tells the others what was spent and which streams are open. A request
 * never waits for this. Messages may be lost; then a limit is too generous for a while.
 */
export function shareLimits({ limits, self, isAlive, publish, hasOthers }: ShareLimitsOptions) {
  const { rate, frequent, streams } = limits;
  let spent = { rate: new Map<string, number>(), frequent: new Map<string, number>() };
  let timer: NodeJS.Timeout | undefined;

  function send(): void {
    clearTimeout(timer);
    timer = undefined;
    const news: LimitsNews = {
      kind: "limits",
      from: self(),
      spent: { rate: Object.fromEntries(spent.rate), frequent: Object.fromEntries(spent.frequent) },
      open: Object.fromEntries(streams.own),
    };
    spent = { rate: new Map(), frequent: new Map() };
    void publish([news as unknown as JsonObject]).catch(() => undefined);
  }
  const sendSoon = () => {
    timer ??= setTimeout(send, GATHER_MS).unref();
  };
  const count = (which: "rate" | "frequent") => (caller: string) => {
    if (!hasOthers()) return;
    spent[which].set(caller, (spent[which].get(caller) ?? 0) + 1);
    sendSoon();
  };
  const stops = [rate.onTaken(count("rate")), frequent.onTaken(count("frequent")), streams.onChange(sendSoon)];
  streams.isAlive = isAlive;
  const repeating = setInterval(() => {
    if (hasOthers() && streams.own.size > 0) sendSoon();
  }, REPEAT_MS).unref();

  return {
    /** Takes a message of another gateway. */
    hear(message: JsonObject): void {
      const news = message as unknown as LimitsNews;
      for (const [caller, times] of Object.entries(news.spent.rate)) rate.spend(caller, times);
      for (const [caller, times] of Object.entries(news.spent.frequent)) frequent.spend(caller, times);
      streams.hear(news.from, new Map(Object.entries(news.open)));
    },
    close(): void {
      for (const stop of stops) stop();
      clearTimeout(timer);
      clearInterval(repeating);
    },
  };
}

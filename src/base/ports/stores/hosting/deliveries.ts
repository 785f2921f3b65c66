/** `waiting`: it will be sent, or sent again. `failed`: every attempt failed, or the receiver is gone. */
export type DeliveryState = "waiting" | "delivered" | "failed";

/** One message to one outgoing webhook, and what became of it. */
export type Delivery = {
  /** Also the `webhook-id` that the receiver sees; the same for every attempt. */
  readonly id: string;
  /** The name of the webhook in conduct.yaml. */
  readonly webhook: string;
  /** The type of the event, such as `question.asked`. */
  readonly type: string;
  /** The JSON that is sent. */
  readonly body: string;
  readonly at: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** When it is sent next; only meaningful while it waits. */
  readonly nextAt: number;
  /** The result of the last attempt: an HTTP status or a reason. */
  readonly result?: string;
};

export type DeliveryDraft = Pick<Delivery, "id" | "webhook" | "type" | "body" | "at">;

export type DeliveryQuery = {
  readonly limit: number;
  readonly webhook?: string | undefined;
  readonly state?: DeliveryState | undefined;
};

/** A position in a journal that the webhooks follow. */
export type DeliverySource = "events" | "governance";

/**
 * The outbox of the webhooks. A restart or another process continues with what waits. Bodies are sealed. Rejects if the
 * store fails.
 */
export type DeliveriesStore = {
  /** How far a journal was read; `undefined` before the first time. */
  position(source: DeliverySource): Promise<number | undefined>;
  /**
   * Adds the deliveries of a part of a journal, and moves the position with them. Returns false and adds nothing if
   * another process has moved it.
   */
  advance(
    source: DeliverySource,
    from: number | undefined,
    to: number,
    drafts: readonly DeliveryDraft[],
  ): Promise<boolean>;
  /** Adds deliveries. Those that exist already stay as they are. */
  add(drafts: readonly DeliveryDraft[]): Promise<void>;
  /** Waiting deliveries of a webhook whose time has come, oldest first. */
  due(now: number, limit: number, webhook: string): Promise<readonly Delivery[]>;
  /** Stores the result of an attempt. */
  record(id: string, result: Pick<Delivery, "state" | "nextAt" | "attempts" | "result">): Promise<void>;
  find(id: string): Promise<Delivery | undefined>;
  /** Newest first. */
  list(query: DeliveryQuery): Promise<readonly Delivery[]>;
  /** Sends a delivery once more, from its first attempt. Returns false if there is none. */
  retry(id: string, now: number): Promise<boolean>;
  /** Deletes the deliveries from before this time. */
  expire(before: number): Promise<void>;
};

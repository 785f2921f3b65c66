import { checkRedisUrl, redisConnection } from "./redis-connection.ts";

/** A way to the other processes that may lose messages. */
export type LiveChannel = {
  /** Whether messages of others arrive here. */
  readonly isListening: boolean;
  /** Returns false if Redis did not take the messages; some may have been sent nevertheless. */
  publish(payloads: readonly string[]): Promise<boolean>;
  close(): void;
};

/** A channel of Redis. It connects in the background, and again after every loss. Throws if the URL is invalid. */
export function redisLive(url: string, channel: string, onPayload: (payload: string) => void): LiveChannel {
  checkRedisUrl(url);
  let isListening = false;
  const connection = redisConnection(url, {
    invalidated() {
      isListening = false;
    },
    ready() {
      const client = connection.client();
      client?.subscribe(channel, onPayload).then(
        () => {
          isListening = connection.client() === client;
        },
        // A connection that is lost is opened again.
        () => undefined,
      );
    },
  });
  return {
    get isListening() {
      return isListening;
    },
    async publish(payloads) {
      const client = connection.client();
      if (client === undefined || !isListening) return false;
      return Promise.all(payloads.map((payload) => client.publish(channel, payload))).then(
        () => true,
        () => false,
      );
    },
    close: () => connection.close(),
  };
}

import { describe, expect, it } from "vitest";
import { guardWebhook } from "./telegram-webhook.ts";

const SECRET = "webhook-secret-of-the-test";

function world() {
  const time = { now: 0 };
  const heard: unknown[] = [];
  const clock = { now: () => time.now, monotonic: () => time.now };
  const handle = async (request: Request) => {
    heard.push(await request.json());
    return new Response("ok");
  };
  const webhook = guardWebhook({ secret: SECRET, handle, clock });
  const send = (secret: string | undefined, body: string | ReadableStream = '{"update_id":1}', address = "1.2.3.4") => {
    const headers = secret === undefined ? {} : { "x-telegram-bot-api-secret-token": secret };
    const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
    return webhook(new Request("http://x/telegram/webhook", init), address);
  };
  return { time, heard, send };
}

describe("the Telegram webhook", () => {
  it("TGW-1 the webhook rejects a missing or wrong secret without reading the body", async () => {
    const { send, heard } = world();
    let read = 0;
    const body = () =>
      new ReadableStream(
        {
          pull() {
            read += 1;
          },
        },
        { highWaterMark: 0 },
      );
    for (const secret of [undefined, "", "wrong", `${SECRET}x`, SECRET.slice(1)])
      await expect(send(secret, body())).rejects.toMatchObject({ status: 401 });
    expect([read, heard]).toEqual([0, []]);
    expect((await send(SECRET)).status).toBe(200);
    expect(heard).toEqual([{ update_id: 1 }]);
  });

  it("TGW-2 the webhook limits strangers by address, and they never use up Telegram's own limit", async () => {
    const { send, time } = world();
    const statuses = [];
    for (let at = 0; at < 30; at++)
      statuses.push(await send("wrong").catch((error: { status: number }) => error.status));
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(401));
    expect(statuses.slice(20)).toEqual(Array(10).fill(429));
    await expect(send("wrong", "{}", "5.6.7.8")).rejects.toMatchObject({ status: 401 });
    for (let at = 0; at < 200; at++) expect((await send(SECRET)).status).toBe(200);
    await expect(send(SECRET)).rejects.toMatchObject({ status: 429 });
    time.now += 60_000;
    expect((await send(SECRET)).status).toBe(200);
  });

  it("TGW-3 the webhook rejects a body larger than any update", async () => {
    const { send } = world();
    await expect(send(SECRET, "x".repeat(513 * 1024))).rejects.toMatchObject({ status: 413 });
  });
});

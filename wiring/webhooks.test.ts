import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect } from "vitest";
import type { ModelServer } from "../src/testing/test/model-server/index.ts";
import { type Gateway, Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const KEY = Buffer.alloc(32, 7);
const SECRET = `whsec_${KEY.toString("base64")}`;
const machine = new Machine({ SCRIPTED_KEY: "provider-key", HOOK_SECRET: SECRET });
let model: ModelServer;
let gateway: Gateway;
const posted: { readonly path: string; readonly headers: Record<string, unknown>; readonly body: string }[] = [];

const CONFIG = (url: string, hook: string) => `
gateway:
  webhooks:
    all: { url: "${hook}/all", secret: { env: HOOK_SECRET }, allowPrivate: true }
    contract: { url: "${hook}/contract", secret: { file: secrets/hook }, events: [contract], allowPrivate: true }
agents:
  clerk:
    model: own/scripted
    tools: [{ name: read_file, paths: { path: read } }]
    rules: [{ id: no-notes, on: read_file, why: No notes. }]
models:
  own/scripted: { baseUrl: "${url}", api: openai-completions, key: SCRIPTED_KEY }
`;

beforeAll(async () => {
  const server = createServer(async (request, response) => {
    posted.push({ path: request.url ?? "", headers: request.headers, body: await text(request) });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  machine.onClose(() => server.close());
  model = await machine.model();
  const hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  machine.write({ ".conduct/conduct.yaml": CONFIG(model.openaiUrl, hook), ".conduct/secrets/hook": `${SECRET}\n` });
  gateway = await machine.gateway();
});
afterAll(() => machine.close());

const sent = (path: string) => posted.filter((one) => one.path === path).map(({ body }) => JSON.parse(body));

describe("outgoing webhooks", () => {
  wired(
    [
      "gateway.webhooks",
      "gateway.webhooks.*.url",
      "gateway.webhooks.*.secret",
      "gateway.webhooks.*.secret.env",
      "gateway.webhooks.*.secret.file",
      "gateway.webhooks.*.events",
      "gateway.webhooks.*.allowPrivate",
    ],
    "WIR-760 signed events go to the webhooks that want them",
    async () => {
      await gateway.play(model, "clerk", [["read_file", { path: "notes.txt" }]]);
      await expect.poll(() => sent("/all").map(({ type }) => type)).toContain("call.denied");
      const added = await machine.conduct(["behavior", "add", "STOP: long status reports"]);
      expect(added.code).toBe(0);
      await expect.poll(() => sent("/contract").map(({ type }) => type)).toContain("contract.changed");
      expect(sent("/contract").filter(({ type }) => type !== "contract.changed")).toEqual([]);
      expect((await gateway.operator.call("GET /api/webhooks")).webhooks.map(({ name }) => name)).toEqual([
        "all",
        "contract",
      ]);
      await gateway.operator.call("POST /api/review/run", {});
      await expect.poll(() => sent("/all").map(({ type }) => type)).toContain("digest.ready");
      for (const { headers, body } of posted) {
        const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
        const signature = createHmac("sha256", KEY).update(content).digest("base64");
        expect(headers["webhook-signature"]).toBe(`v1,${signature}`);
      }
    },
  );
  wired(
    ["conduct webhooks log --webhook", "conduct webhooks log --state", "conduct webhooks log --limit"],
    "WIR-761 the log shows the deliveries, and one can be sent again",
    async () => {
      const log = async (...words: string[]) => {
        const { out } = await machine.conduct(["webhooks", "log", "--json", ...words]);
        return JSON.parse(out).result.deliveries as readonly { readonly id: string; readonly webhook: string }[];
      };
      await expect.poll(async () => (await log("--webhook", "all", "--state", "delivered")).length).toBeGreaterThan(0);
      expect(await log("--limit", "1")).toHaveLength(1);
      const [one] = await log("--webhook", "contract");
      const before = sent("/contract").length;
      expect((await machine.conduct(["webhooks", "retry", one?.id ?? ""])).code).toBe(0);
      await expect.poll(() => sent("/contract").length).toBe(before + 1);
    },
  );
  wired("gateway.webhooks.*.secret.env", "WIR-762 config check names every fault of a webhook", async () => {
    const wrong = `gateway:
  webhooks:
    a: { url: "https://10.0.0.1/x", secret: { env: NOT_SET } }
    b: { url: "http://hooks.example.org/x", secret: { file: short } }
`;
    machine.write({ "work/bad/conduct.yaml": `${wrong}agents: { clerk: {} }\n`, "work/bad/short": "whsec_AAAA" });
    const { out, err, code } = await machine.conduct(["config", "check", "bad/conduct.yaml"]);
    expect(code).not.toBe(0);
    for (const fault of [
      "10.0.0.1 is a private address",
      "NOT_SET is not set",
      "not encrypted",
      "the secret has 3 bytes",
    ])
      expect(out + err).toContain(fault);
  });
});

import { randomUUID } from "node:crypto";
import { asObject, asString, parseObject } from "../../src/base/kernel/json.ts";
import type { JsonObject } from "../../src/base/words/json.ts";

export type GatewayEvent = { readonly event: string; readonly payload: JsonObject };

/** A client of the gateway, as OpenClaw's chat is. */
export type GatewaySocket = {
  request(method: string, params: JsonObject): Promise<JsonObject>;
  /** Gives what ends it. */
  on(listener: (event: GatewayEvent) => void): () => void;
  close(): void;
};

const SCOPES = ["operator.admin", "operator.read", "operator.write", "operator.approvals"];

export async function connect(port: number, token: string): Promise<GatewaySocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  const answers = new Map<string, (frame: JsonObject) => void>();
  const listeners = new Set<(event: GatewayEvent) => void>();
  const request = async (method: string, params: JsonObject): Promise<JsonObject> => {
    const id = randomUUID();
    const answer = new Promise<JsonObject>((resolve) => answers.set(id, resolve));
    socket.send(JSON.stringify({ type: "req", id, method, params }));
    const { ok, payload, error } = await answer;
    if (ok !== true) throw new Error(`${method}: ${asString(asObject(error).message) || JSON.stringify(error)}`);
    return asObject(payload);
  };
  const challenged = new Promise<void>((resolve, reject) => {
    socket.addEventListener("error", () => reject(new Error("the gateway does not listen")));
    socket.addEventListener("close", () => {
      for (const answer of answers.values()) answer({ ok: false, error: { message: "the gateway hung up" } });
      reject(new Error("the gateway hung up"));
    });
    socket.addEventListener("message", ({ data }) => {
      const frame = parseObject(String(data)) ?? {};
      if (frame.type === "res") answers.get(asString(frame.id))?.(frame);
      if (frame.type !== "event") return;
      if (frame.event === "connect.challenge") resolve();
      for (const listener of listeners) listener({ event: asString(frame.event), payload: asObject(frame.payload) });
    });
  });
  await challenged;
  await request("connect", {
    minProtocol: 4,
    maxProtocol: 4,
    client: { id: "gateway-client", version: "1", platform: "linux", mode: "backend" },
    role: "operator",
    scopes: SCOPES,
    caps: [],
    commands: [],
    permissions: {},
    auth: { token },
  });
  return {
    request,
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => socket.close(),
  };
}

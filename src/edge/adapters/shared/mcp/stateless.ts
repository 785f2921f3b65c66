import { canonicalJson } from "../../../../base/kernel/canonical-json.ts";
import { asObject, asString, isObject } from "../../../../base/kernel/json.ts";
import type { Json, JsonObject } from "../../../../base/words/json.ts";
import type { McpCall } from "../own-tools.ts";
import { timerMs } from "../refusals.ts";
import type { Rpc } from "./json-rpc.ts";

/** The protocol without a handshake: each request has its version and the client's capabilities in `_meta`. */
export const STATELESS = "2026-07-28";
const META = "io.modelcontextprotocol/";

export const UNSUPPORTED_VERSION = -32022;
export const HEADER_MISMATCH = -32020;

/** What a request without a handshake says about itself. */
export type Claim = { readonly version: string; readonly client: string; readonly capabilities?: JsonObject };

/** `undefined` if the request belongs to a protocol with a handshake. */
export function claimOf(params: JsonObject): Claim | undefined {
  const meta = asObject(params._meta);
  if (!Object.hasOwn(meta, `${META}protocolVersion`)) return undefined;
  const capabilities = meta[`${META}clientCapabilities`];
  return {
    version: asString(meta[`${META}protocolVersion`]),
    client: asString(asObject(meta[`${META}clientInfo`]).name),
    capabilities: isObject(capabilities) ? capabilities : undefined,
  };
}

/** What our own requests without a handshake say about us. We offer no capabilities. */
export function ownClaim(client: JsonObject): JsonObject {
  return {
    [`${META}protocolVersion`]: STATELESS,
    [`${META}clientInfo`]: client,
    [`${META}clientCapabilities`]: {},
  };
}

/** Parameters that HTTP repeats in the header `mcp-name`, so that a gateway can route without reading the body. */
const NAMED: { readonly [method: string]: string } = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

type Headers = { readonly [header: string]: string };

/** The headers that repeat parts of a request without a handshake. `schemas`: those of the tools' arguments. */
export function mirroredHeaders(rpc: Rpc, schemas?: ReadonlyMap<string, JsonObject>): Headers {
  const claim = rpc.kind === "request" ? claimOf(rpc.params) : undefined;
  if (rpc.kind !== "request" || claim === undefined) return {};
  const name = rpc.params[NAMED[rpc.method] ?? ""];
  const headers = { "mcp-protocol-version": claim.version, "mcp-method": rpc.method };
  if (typeof name !== "string") return headers;
  const schema = rpc.method === "tools/call" ? schemas?.get(name) : undefined;
  return {
    ...headers,
    "mcp-name": headerValue(name),
    ...argumentHeaders(schema ?? {}, asObject(rpc.params.arguments)),
  };
}

/** The arguments that a tool's schema marks, at any depth, as headers. */
function argumentHeaders(schema: JsonObject, args: JsonObject): Headers {
  return Object.assign(
    {},
    ...Object.entries(asObject(schema.properties)).map(([key, one]) => {
      const [name, value] = [asObject(one)["x-mcp-header"], args[key]];
      if (isObject(value)) return argumentHeaders(asObject(one), value);
      const isSimple = ["string", "number", "boolean"].includes(typeof value);
      return typeof name === "string" && isSimple ? { [`mcp-param-${name}`]: headerValue(String(value)) } : {};
    }),
  );
}

/** A text that HTTP cannot carry, or that looks like encoded text, is encoded. */
export function headerValue(text: string): string {
  const isPlain = /^[!-~]([ -~]*[!-~])?$/.test(text) && !text.startsWith("=?");
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

export function plainValue(header: string): string {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(header)?.[1];
  return encoded === undefined ? header : Buffer.from(encoded, "base64").toString();
}

/** A result for a request without a handshake. */
export function completed(result: JsonObject, server?: JsonObject): JsonObject {
  return { resultType: "complete", ...result, ...(server && { _meta: { [`${META}serverInfo`]: server } }) };
}

/** A request of a call. The client repeats it with its input if it is asked to. */
type Request = { readonly params: JsonObject };

/** Answers the open request of a call, and waits for the request that repeats it. `undefined`: none came in time. */
export type Pause<Answer, R> = (answer: Answer, state: Json | undefined, limitMs: number) => Promise<R | undefined>;

/** The name of Conduct's own question among those of a result. */
const OWN = "conduct";

/** A result that asks the client to show a form, and to repeat the call with the person's answer. */
export function formResult(form: JsonObject, state: string): JsonObject {
  const inputRequests = { [OWN]: { method: "elicitation/create", params: form } };
  return { resultType: "input_required", inputRequests, requestState: state };
}

export function formAnswer(retry: Request | undefined): JsonObject {
  return asObject(asObject(retry?.params.inputResponses)[OWN]);
}

/** Calls that take several requests: the client repeats a call that needs its input. Each is decided and counted once. */
export class Rounds<Answer, R extends Request = Request> {
  readonly #paused = new Set<{ readonly key: string; go(retry?: R): Promise<Answer> }>();

  /** Runs a call. Resolves with the answer to its first request. */
  begin(call: McpCall, run: (pause: Pause<Answer, R>) => Promise<Answer>): Promise<Answer> {
    let round = Promise.withResolvers<Answer>();
    const pause: Pause<Answer, R> = (answer, state, limitMs) =>
      new Promise((resolve) => {
        const go = (retry?: R) => {
          clearTimeout(timer);
          this.#paused.delete(paused);
          round = Promise.withResolvers();
          // Nobody may wait for the end of a call that was not repeated.
          round.promise.catch(() => undefined);
          resolve(retry);
          return round.promise;
        };
        const timer = setTimeout(() => go(), timerMs(limitMs));
        const paused = { key: roundKey(call, state), go };
        this.#paused.add(paused);
        round.resolve(answer);
      });
    run(pause).then(
      (answer) => round.resolve(answer),
      (error) => round.reject(error),
    );
    return round.promise;
  }

  /** Continues the call that this request repeats, and resolves with the answer. `undefined`: it is a new call. */
  repeat(call: McpCall, retry: R): Promise<Answer> | undefined {
    const { requestState, inputResponses } = retry.params;
    if (requestState === undefined && inputResponses === undefined) return undefined;
    const key = roundKey(call, requestState);
    return [...this.#paused].find((one) => one.key === key)?.go(retry);
  }

  /** No call is repeated any more. */
  end(): void {
    for (const { go } of [...this.#paused]) void go();
  }
}

function roundKey({ name, arguments: args }: McpCall, state: Json | undefined): string {
  return canonicalJson([name, args, state ?? null]);
}

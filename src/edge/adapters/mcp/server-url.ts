import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { errorText } from "../../../base/kernel/error-text.ts";
import { asObject } from "../../../base/kernel/json.ts";
import { CONNECTION_CLOSED, errorMessage, parseExactly, readLine } from "../shared/mcp/json-rpc.ts";
import type { Pipe, PipeListener } from "../shared/mcp/pipe.ts";

/** How long a server may take to end its session. */
const GOODBYE_MS = 2_000;

/**
 * A server behind a URL (streamable HTTP), on the SDK's transport, which handles sessions, streams and resuming.
 * Responses have passed through JavaScript's numbers, as in every client built on it.
 */
export function connectServer(url: URL, headers: { readonly [name: string]: string }): Pipe {
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: { ...headers } } });
  let listener: PipeListener | undefined;
  transport.onmessage = (message) => {
    const { protocolVersion } = asObject(asObject(message).result);
    if (typeof protocolVersion === "string" && transport.protocolVersion === undefined) {
      transport.setProtocolVersion(protocolVersion);
    }
    listener?.message(Buffer.from(JSON.stringify(message)));
  };
  transport.onclose = () => listener?.end({ why: "the connection was closed" });
  /** Notifications and responses are sent before the next message; requests wait for their own answers. */
  let before: Promise<unknown> = transport.start();
  return {
    listen(given) {
      listener = given;
    },
    send(message) {
      const line = Buffer.from(message);
      const [rpc] = (readLine(line) ?? []).map((one) => one.rpc);
      // Not validated: the SDK's schema may not know a message that the server knows.
      const value = parseExactly(line.toString("utf8")) as unknown as JSONRPCMessage;
      const sent = before
        .then(() => transport.send(value))
        .catch((error: unknown) => {
          if (rpc?.kind !== "request") return;
          const why = `cannot reach ${url.origin}: ${errorText(error)}`;
          listener?.message(Buffer.from(errorMessage(rpc.id, CONNECTION_CLOSED, why)));
        });
      if (rpc?.kind !== "request") before = sent;
      return true;
    },
    pause: () => undefined,
    resume: () => undefined,
    async close() {
      const told = transport.terminateSession().catch(() => undefined);
      // Does not wait for a server that no longer answers.
      await Promise.race([told, new Promise((resolve) => setTimeout(resolve, GOODBYE_MS).unref())]);
      await transport.close();
    },
  };
}

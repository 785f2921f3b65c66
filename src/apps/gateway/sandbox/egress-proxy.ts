import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect, isIP, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { errorText } from "../../../base/kernel/error-text.ts";
import { PUBLIC_ONLY, type UrlChecks } from "../../../edge/host/node/safe-url.ts";
import type { AllowedHosts } from "./allowed-hosts.ts";

const MOST_CONNECTIONS = 100;
const CONNECT_MS = 15_000;
const IDLE_MS = 120_000;
/** Hop-by-hop headers. */
const HOP = /^(?:proxy-.*|connection|keep-alive|te|trailer|transfer-encoding|upgrade)$/;

export type EgressProxy = { readonly socket: string; close(): Promise<void> };

export type EgressProxyOptions = {
  /** Read for every connection, so that a changed definition takes effect at once. */
  readonly hosts: () => AllowedHosts;
  readonly checks?: UrlChecks;
};

/**
 * An HTTP proxy on a unix socket, the only way out of a sandbox. It connects to allowed hosts at the checked address
 * and rejects names that resolve to private addresses.
 */
export async function openEgressProxy({ hosts, checks = PUBLIC_ONLY }: EgressProxyOptions): Promise<EgressProxy> {
  const folder = await mkdtemp(join(tmpdir(), "conduct-net-"));
  const socket = join(folder, "proxy.sock");
  const open = new Set<Socket>();
  const server = createServer((asked, reply) => void forward(asked, reply));
  server.maxConnections = MOST_CONNECTIONS;
  server.on("connection", (client) => track(client));
  server.on("connect", (asked: IncomingMessage, client: Duplex, head: Buffer) => void tunnel(asked, client, head));
  server.on("upgrade", (_asked, client: Duplex) => client.end("HTTP/1.1 501 Not Implemented\r\n\r\n"));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, () => resolve());
  });
  server.on("error", () => undefined);

  function track<T extends Socket>(one: T): T {
    open.add(one);
    one.setTimeout(IDLE_MS, () => one.destroy());
    one.once("close", () => open.delete(one));
    one.on("error", () => one.destroy());
    return one;
  }

  /** Resolves and checks the address. */
  async function pin(host: string, port: number): Promise<{ readonly address: string } | { readonly why: string }> {
    const verdict = hosts().judge(host, port);
    if (verdict.kind === "refused") return { why: `${host}:${port} is not one of this agent's allowed hosts` };
    const plain = host.replace(/^\[(.*)\]$/, "$1");
    const addresses = isIP(plain) === 0 ? await checks.resolve(plain) : [plain];
    const [address] = addresses;
    if (address === undefined) return { why: `${host} has no address` };
    if (verdict.kind === "public-only" && !addresses.every((one) => checks.isAllowed(one)))
      return { why: `${host} resolves to a private address` };
    return { address };
  }

  async function tunnel({ url = "" }: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on("error", () => client.destroy());
    const target = URL.canParse(`http://${url}`) ? new URL(`http://${url}`) : undefined;
    const port = Number(/:(\d+)$/.exec(url)?.[1]);
    if (target === undefined || !(port > 0)) return refuseTunnel(client, "this is not a host and port");
    const pinned = await pin(target.hostname, port).catch((error) => ({ why: errorText(error) }));
    if ("why" in pinned) return refuseTunnel(client, pinned.why);
    const remote = track(connect({ host: pinned.address, port, timeout: CONNECT_MS }));
    const failed = (error: Error) => refuseTunnel(client, error.message);
    remote.once("error", failed);
    client.once("close", () => remote.destroy());
    remote.once("connect", () => {
      // From here on our own error text would look like the remote's answer.
      remote.off("error", failed);
      remote.setTimeout(IDLE_MS);
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      remote.write(head);
      client.pipe(remote).pipe(client);
      remote.once("close", () => client.destroy());
    });
  }

  async function forward(asked: IncomingMessage, reply: ServerResponse): Promise<void> {
    const url = URL.canParse(asked.url ?? "") ? new URL(asked.url ?? "") : undefined;
    if (url?.protocol !== "http:") return refuse(reply, "only absolute http:// URLs are allowed");
    const port = Number(url.port || 80);
    const pinned = await pin(url.hostname, port).catch((error) => ({ why: errorText(error) }));
    if ("why" in pinned) return refuse(reply, pinned.why);
    const { method, headers } = asked;
    const sent = request({
      host: pinned.address,
      port,
      method,
      path: `${url.pathname}${url.search}`,
      headers: { ...endToEnd(headers), host: url.host, connection: "close" },
      agent: false,
      timeout: CONNECT_MS,
    });
    sent.once("socket", track);
    sent.once("response", (answer) => {
      reply.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      answer.pipe(reply);
    });
    sent.once("error", (error) => refuse(reply, error.message));
    reply.once("close", () => sent.destroy());
    asked.pipe(sent);
  }

  return {
    socket,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const one of open) one.destroy();
      await closed;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP.test(name)));
}

function refuse(reply: ServerResponse, why: string): void {
  if (reply.headersSent) return void reply.destroy();
  reply.writeHead(403, { "content-type": "text/plain", connection: "close" }).end(`Conduct refuses this: ${why}.\n`);
}

function refuseTunnel(client: Duplex, why: string): void {
  const text = `Conduct refuses this: ${why}.\n`;
  if (client.destroyed) return;
  client.end(`HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${text}`);
}

import { createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { allowedHosts } from "./allowed-hosts.ts";
import { type EgressProxy, openEgressProxy } from "./egress-proxy.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe("the hosts that an agent may reach", () => {
  it.each([
    ["example.org", "example.org", 443, "public-only"],
    ["example.org", "EXAMPLE.org.", 80, "public-only"],
    ["example.org", "example.org", 22, "refused"],
    ["example.org", "www.example.org", 443, "refused"],
    ["example.org", "badexample.org", 443, "refused"],
    ["example.org:8443", "example.org", 8443, "public-only"],
    ["example.org:8443", "example.org", 443, "refused"],
    ["*.example.org", "a.b.example.org", 443, "public-only"],
    ["*.example.org", "example.org", 443, "refused"],
    ["*.example.org", "example.org.evil.net", 443, "refused"],
    ["*", "anything.net", 443, "public-only"],
    ["*", "10.0.0.1", 80, "refused"],
    ["*", "localhost", 80, "refused"],
    ["127.0.0.1:8080", "127.0.0.1", 8080, "as-written"],
    ["127.0.0.1:8080", "127.0.0.1", 8081, "refused"],
    ["[::1]:8080", "[::1]", 8080, "as-written"],
    ["localhost:8080", "localhost", 8080, "as-written"],
  ])("SBX-40 with the allowed host %s a connection to %s:%s is %s", (entry, host, port, kind) => {
    expect(allowedHosts([entry]).judge(host, port)).toEqual({ kind });
  });
});

describe("the proxy", () => {
  async function world(network: (port: number) => readonly string[], resolves: readonly string[] = ["93.184.216.34"]) {
    const server = createServer((asked, reply) =>
      reply.end(`reached ${asked.headers.host} ${asked.headers["proxy-x"] ?? ""}`),
    );
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    closing.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const proxy = await openEgressProxy({
      hosts: () => allowedHosts(network(port)),
      checks: { resolve: async () => resolves, isAllowed: (address) => !address.startsWith("127.") },
    });
    closing.push(() => proxy.close());
    return { port, proxy };
  }

  const get = (proxy: EgressProxy, url: string) =>
    new Promise<string>((resolve, reject) => {
      const asked = request({ socketPath: proxy.socket, path: url, headers: { "proxy-x": "1" } }, (reply) => {
        let text = `${reply.statusCode} `;
        reply.on("data", (chunk) => {
          text += chunk;
        });
        reply.on("end", () => resolve(text));
      });
      asked.on("error", reject);
      asked.end();
    });

  const tunnel = (proxy: EgressProxy, to: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(proxy.socket, () => socket.write(`CONNECT ${to} HTTP/1.1\r\nhost: ${to}\r\n\r\n`));
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk;
        if (text.endsWith("Established\r\n\r\n")) socket.write("GET / HTTP/1.0\r\n\r\n");
      });
      socket.on("close", () => resolve(text));
    });

  it("SBX-41 the proxy forwards requests and tunnels only to listed addresses", async () => {
    const { port, proxy } = await world((own) => [`127.0.0.1:${own}`]);
    expect(await get(proxy, `http://127.0.0.1:${port}/`)).toBe(`200 reached 127.0.0.1:${port} `);
    expect(await tunnel(proxy, `127.0.0.1:${port}`)).toContain("reached");
    for (const other of [
      `localhost:${port}`,
      `127.0.0.2:${port}`,
      "127.0.0.1:1",
      "example.org:80",
      "169.254.169.254:80",
    ]) {
      expect(await get(proxy, `http://${other}/`)).toContain("403 Conduct refuses this");
      expect(await tunnel(proxy, other)).toMatch(/^HTTP\/1.1 403/);
    }
    expect(await get(proxy, "/etc/passwd")).toContain("403");
    expect(await tunnel(proxy, "nonsense")).toContain("403");
  });

  it("SBX-42 the proxy rejects a name that also resolves to a private address", async () => {
    const { port, proxy } = await world((own) => [`inside.example.org:${own}`], ["93.184.216.34", "127.0.0.1"]);
    expect(await get(proxy, `http://inside.example.org:${port}/`)).toContain("resolves to a private address");
    expect(await tunnel(proxy, `inside.example.org:${port}`)).toContain("resolves to a private address");
  });
});

import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { nodeCommands } from "../../../edge/host/node/node-commands.ts";
import { isPublicAddress, pinnedFetch, pinUrl, safeFetch, UnsafeUrlError } from "../../../edge/host/node/safe-url.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import { sandboxTools } from "./sandbox-tools.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const octet = fc.integer({ min: 0, max: 255 });
/** Ranges by their own words, not by the code's table. */
const privateV4 = fc.oneof(
  fc.tuple(fc.constantFrom(0, 10, 127), octet, octet, octet),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
  fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
  fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
  fc.tuple(fc.integer({ min: 224, max: 255 }), octet, octet, octet),
);
const publicV4 = fc.tuple(fc.constantFrom(1, 8, 23, 52, 93, 151, 185, 208), octet, octet, octet);
const number = ([a, b, c, d]: readonly number[]) => (((a ?? 0) * 256 + (b ?? 0)) * 256 + (c ?? 0)) * 256 + (d ?? 0);
const hex = (value: number) => value.toString(16);
/** The ways in which browsers and tricksters write the same address. */
const spellings: readonly ((parts: readonly number[]) => string)[] = [
  (parts) => parts.join("."),
  (parts) => String(number(parts)),
  (parts) => `0x${hex(number(parts))}`,
  (parts) => parts.map((part) => `0${part.toString(8)}`).join("."),
  (parts) => parts.map((part) => `0x${hex(part)}`).join("."),
  ([a = 0, ...rest]) => `${a}.${number([0, ...rest])}`,
  (parts) => `[::ffff:${parts.join(".")}]`,
  (parts) => `[::${parts.join(".")}]`,
  (parts) => `[64:ff9b::${parts.join(".")}]`,
  ([a = 0, b = 0, c = 0, d = 0]) => `[2002:${hex(a * 256 + b)}:${hex(c * 256 + d)}::1]`,
];

describe("isPublicAddress", () => {
  it("SU-1 private addresses are rejected without a request, however they are written", async () => {
    await fc.assert(
      fc.asyncProperty(privateV4, fc.constantFrom(...spellings), async (parts, spell) => {
        expect(isPublicAddress(parts.join("."))).toBe(false);
        const resolve = () => Promise.reject(new Error("looked up"));
        await expect(pinUrl(`http://${spell(parts)}/`, { resolve, isAllowed: isPublicAddress })).rejects.toBeInstanceOf(
          UnsafeUrlError,
        );
      }),
      { numRuns: 500 },
    );
  });

  it("SU-2 public addresses are accepted and pinned", async () => {
    await fc.assert(
      fc.asyncProperty(publicV4, async (parts) => {
        const address = parts.join(".");
        expect(await pinUrl(`https://${number(parts)}/x`)).toMatchObject({ address });
      }),
    );
    for (const address of ["2606:4700::1111", "2a00:1450:4001::200e", "8.8.8.8"])
      expect(isPublicAddress(address)).toBe(true);
  });

  it.each(
    [
      "::",
      "::1",
      "fe80::1",
      "fe80::1%eth0",
      "fc00::1",
      "fd12::1",
      "ff02::1",
      "fec0::1",
      "2001::1",
      "2001:db8::1",
    ].concat([
      "3fff::1",
      "::ffff:8.8.8.8",
      "64:ff9b::808:808",
      "fd00:ec2::254",
      "169.254.169.254",
      "metadata.google.internal",
      "",
    ]),
  )("SU-3 '%s' is not a public address", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe("pinUrl", () => {
  it.each([
    ["file:///etc/passwd", /only http/],
    ["gopher://x/", /only http/],
    ["not a url", /not a URL/],
    ["http://user:word@example.org/", /password/],
    ["http://localhost:1/", /private/],
  ])("SU-4 the URL %s is rejected: %s", async (url, why) => {
    await expect(pinUrl(url)).rejects.toThrow(why);
  });

  it("SU-5 a host name with one private address is rejected", async () => {
    const checks = { resolve: async () => ["8.8.8.8", "10.0.0.1"], isAllowed: isPublicAddress };
    await expect(pinUrl("http://example.org/", checks)).rejects.toThrow("example.org resolves to a private address");
  });
});

describe("safeFetch", () => {
  async function serve(host: string, listener: RequestListener): Promise<number> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    closing.push(() => new Promise((resolve) => server.close(resolve)));
    return (server.address() as AddressInfo).port;
  }
  /** In this little world 127.0.0.1 is the open internet, and every other address is private. */
  const isAllowed = (address: string) => address === "127.0.0.1";

  it("SU-6 the checked address is used even if the name resolves differently later", async () => {
    const port = await serve("127.0.0.1", ({ headers }, response) => response.end(`for ${headers.host}`));
    const answers = [["127.0.0.1"], ["127.0.0.2"]];
    const fetched = await safeFetch(`http://rebind.test:${port}/`, {
      checks: { resolve: async () => answers.shift() ?? [], isAllowed },
    });
    expect(fetched).toMatchObject({ status: 200, text: `for rebind.test:${port}`, isCut: false });
    expect(answers).toHaveLength(1);
  });

  it("SU-7 a redirect is checked like the first URL, and a private server gets no request", async () => {
    let asked = 0;
    const inner = await serve("127.0.0.2", (_request, response) => {
      asked += 1;
      response.end("secret");
    });
    const outer = await serve("127.0.0.1", ({ url }, response) => {
      const to = url === "/name" ? `http://inner.test:${inner}/` : `http://127.0.0.2:${inner}/`;
      response.writeHead(302, { location: to }).end();
    });
    const checks = { resolve: async () => ["127.0.0.2"], isAllowed };
    for (const path of ["", "name"])
      await expect(safeFetch(`http://127.0.0.1:${outer}/${path}`, { checks })).rejects.toThrow(/private address/);
    expect(asked).toBe(0);
  });

  it("SU-8 safe fetch follows a limited number of allowed redirects, and reads a limited size", async () => {
    const port = await serve("127.0.0.1", ({ url }, response) => {
      if (url === "/loop") response.writeHead(302, { location: "/loop" }).end();
      else if (url === "/go") response.writeHead(307, { location: "big" }).end();
      else response.end("x".repeat(5_000));
    });
    const checks = { resolve: async () => [], isAllowed };
    await expect(safeFetch(`http://127.0.0.1:${port}/loop`, { checks })).rejects.toThrow(/more than 5 times/);
    expect(await safeFetch(`http://127.0.0.1:${port}/go`, { checks, maxBytes: 1_000 })).toMatchObject({
      url: `http://127.0.0.1:${port}/big`,
      text: "x".repeat(1_000),
      isCut: true,
    });
  });

  it("SU-10 a pinned fetch sends the request to the checked address only, and follows no redirect", async () => {
    const asked: string[] = [];
    const port = await serve("127.0.0.1", ({ method, url, headers }, response) => {
      asked.push(`${method} ${url} ${headers.authorization}`);
      if (url === "/go") response.writeHead(307, { location: "/elsewhere" }).end();
      else response.writeHead(url === "/none" ? 204 : 200, { "content-type": "text/plain" }).end();
    });
    const init = { method: "POST", headers: { authorization: "Bearer t" }, body: Buffer.from("{}") };
    const named = pinnedFetch({ resolve: async () => ["127.0.0.1"], isAllowed: () => true });
    expect((await named(`http://desk.example:${port}/go`, init)).status).toBe(307);
    expect((await named(`http://desk.example:${port}/none`, init)).status).toBe(204);
    const guarded = pinnedFetch({ resolve: async () => ["127.0.0.1"], isAllowed: isPublicAddress });
    await expect(guarded(`http://desk.example:${port}/`, init)).rejects.toThrow("resolves to a private address");
    expect(asked).toEqual(["POST /go Bearer t", "POST /none Bearer t"]);
  });

  it("SU-9 the agents' fetch tool uses the safe URL checks", async () => {
    const agent = defineAgent({ name: "clerk", tools: [{ name: "fetch", args: ["url"] }] });
    const [tool] = sandboxTools(agent, { workspace: "/", commands: nodeCommands("/") }).tools;
    await expect(tool?.execute("call_1", { url: "http://2852039166/latest/meta-data" })).rejects.toThrow(
      "169.254.169.254 resolves to a private address",
    );
  });
});

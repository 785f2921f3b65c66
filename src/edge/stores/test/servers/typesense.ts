import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";

type Row = { readonly id: string; readonly [field: string]: unknown };

/** Stands in for a Typesense in tests: the part of its HTTP API that Conduct uses, on loopback. */
export type TestTypesense = {
  readonly url: string;
  readonly key: string;
  /** `down`: every request fails. `breaks`: an import fails half-way. `refuses`: it is answered, and half of it was not taken. */
  mode: "up" | "down" | "breaks" | "refuses";
  readonly collections: Map<string, Map<string, Row>>;
  /** Rows that were sent, the same one as often as it was sent. */
  imported: number;
  stop(): Promise<void>;
};

type Answer = { readonly status: number; readonly body: unknown };

const missing: Answer = { status: 404, body: { message: "Not Found" } };

export async function startTypesense(): Promise<TestTypesense> {
  const server = createServer(async (request, response) => {
    const { status, body } = await answer(request);
    const lines = Array.isArray(body);
    response.writeHead(status, { "content-type": lines ? "text/plain" : "application/json" });
    response.end(lines ? body.map((line) => JSON.stringify(line)).join("\n") : JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  const test: TestTypesense = {
    url: `http://127.0.0.1:${port}`,
    key: "test-key",
    mode: "up",
    collections: new Map(),
    imported: 0,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };

  async function answer(request: IncomingMessage): Promise<Answer> {
    const sent = await readText(request);
    if (request.headers["x-typesense-api-key"] !== test.key) return { status: 401, body: { message: "Forbidden" } };
    const { pathname, searchParams } = new URL(request.url ?? "/", test.url);
    const [, top, name = "", part, id] = pathname.split("/").map(decodeURIComponent);
    if (top !== "collections") return missing;
    if (test.mode === "down") return { status: 503, body: { message: "Not Ready" } };
    if (name === "") return create(JSON.parse(sent));
    const rows = test.collections.get(name);
    if (rows === undefined) return missing;
    if (part === undefined) return whole(request.method ?? "", name);
    if (id === undefined) return upsert(rows, JSON.parse(sent));
    if (id === "import") return importRows(rows, sent);
    if (id === "search") return search(rows, searchParams);
    const row = rows.get(id);
    return row === undefined ? missing : { status: 200, body: row };
  }

  function create({ name }: { readonly name: string }): Answer {
    if (test.collections.has(name)) return { status: 409, body: { message: "already exists" } };
    test.collections.set(name, new Map());
    return { status: 201, body: { name } };
  }

  function whole(method: string, name: string): Answer {
    if (method === "DELETE") test.collections.delete(name);
    return { status: 200, body: { name } };
  }

  function upsert(rows: Map<string, Row>, row: Row): Answer {
    rows.set(row.id, row);
    return { status: 201, body: row };
  }

  function importRows(rows: Map<string, Row>, sent: string): Answer {
    const all = sent.split("\n").map((line): Row => JSON.parse(line));
    const taken = test.mode === "up" ? all : all.slice(0, all.length / 2);
    for (const row of taken) rows.set(row.id, row);
    test.imported += taken.length;
    if (test.mode === "breaks") return { status: 503, body: { message: "Not Ready" } };
    const refused = { success: false, error: "not taken" };
    return { status: 200, body: all.map((_, at) => (at < taken.length ? { success: true } : refused)) };
  }

  /** Every word somewhere in the fields asked for. */
  function search(rows: Map<string, Row>, query: URLSearchParams): Answer {
    const words = (query.get("q") ?? "").toLowerCase().split(/\s+/);
    const fields = (query.get("query_by") ?? "").split(",");
    const kind = /^kind:=(\w+)$/.exec(query.get("filter_by") ?? "")?.[1];
    const found = [...rows.values()]
      .filter((row) => kind === undefined || row.kind === kind)
      .filter((row) => {
        const text = fields
          .map((field) => row[field])
          .join(" ")
          .toLowerCase();
        return words.every((word) => word === "*" || text.includes(word));
      })
      .sort((a, b) => Number(b.seq) - Number(a.seq));
    const hits = found.slice(0, Number(query.get("per_page"))).map((document) => ({ document }));
    return { status: 200, body: { found: found.length, hits } };
  }

  return test;
}

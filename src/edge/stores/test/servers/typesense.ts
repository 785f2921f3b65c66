import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { findRows } from "./typesense-search.ts";

export type Row = { readonly id: string; readonly [field: string]: unknown };

export type Field = {
  readonly name: string;
  readonly type: string;
  readonly facet?: boolean;
  readonly index?: boolean;
  readonly optional?: boolean;
  readonly sort?: boolean;
};

type Collection = { readonly fields: readonly Field[]; readonly rows: Map<string, Row> };

/**
 * Stands in for a Typesense in tests: the part of its HTTP API that Conduct uses, on loopback. Schemas, types, sorting
 * and ranking follow https://typesense.org/docs/30.1/api. It is stricter in one point: no value is coerced.
 */
export type TestTypesense = {
  readonly url: string;
  readonly key: string;
  /** `down`: every request fails. `breaks`: an import fails half-way. `refuses`: it is answered, and half of it was not taken. */
  mode: "up" | "down" | "breaks" | "refuses";
  /** The rows of each collection. */
  readonly collections: Map<string, Map<string, Row>>;
  /** Rows that were sent, the same one as often as it was sent. */
  imported: number;
  stop(): Promise<void>;
};

export type Answer = { readonly status: number; readonly body: unknown };

export function problem(status: number, message: string): Answer {
  return { status, body: { message } };
}

const missing = problem(404, "Not Found");

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
  const schemas = new Map<string, readonly Field[]>();

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
    if (request.headers["x-typesense-api-key"] !== test.key)
      return problem(401, "Forbidden - a valid `x-typesense-api-key` header must be sent.");
    const { pathname, searchParams } = new URL(request.url ?? "/", test.url);
    const [, top, name = "", part, id] = pathname.split("/").map(decodeURIComponent);
    if (top !== "collections") return missing;
    if (test.mode === "down") return problem(503, "Not Ready or Lagging");
    if (name === "") return create(JSON.parse(sent));
    const rows = test.collections.get(name);
    const fields = schemas.get(name);
    if (rows === undefined || fields === undefined) return missing;
    const collection = { fields, rows };
    if (part === undefined) return whole(request.method ?? "", name, collection);
    const action = searchParams.get("action") ?? "create";
    if (id === undefined) return write(collection, JSON.parse(sent), action);
    if (id === "import") return importRows(collection, sent, action);
    if (id === "search") return findRows(fields, [...rows.values()], searchParams);
    const row = rows.get(id);
    return row === undefined ? problem(404, `Could not find a document with id: ${id}`) : { status: 200, body: row };
  }

  function create({ name, fields }: { readonly name?: string; readonly fields?: readonly Field[] }): Answer {
    if (!name || fields === undefined || fields.length === 0) return problem(400, "Parameter `fields` is required.");
    if (test.collections.has(name)) return problem(409, `A collection with name \`${name}\` already exists.`);
    for (const { name: field, type, index, optional } of fields) {
      if (!TYPES.has(type)) return problem(400, `Field \`${field}\` has an invalid data type \`${type}\`.`);
      if (index === false && optional !== true)
        return problem(400, `Field \`${field}\` must be optional since it is marked as non-indexed.`);
    }
    schemas.set(name, fields);
    test.collections.set(name, new Map());
    return { status: 201, body: { name, fields, num_documents: 0, default_sorting_field: "" } };
  }

  function whole(method: string, name: string, { fields, rows }: Collection): Answer {
    if (method === "DELETE") test.collections.delete(name);
    return { status: 200, body: { name, fields, num_documents: rows.size } };
  }

  function write({ fields, rows }: Collection, row: Row, action: string): Answer {
    const wrong = faultOf(fields, row);
    if (wrong !== undefined) return problem(400, wrong);
    if (action !== "upsert" && rows.has(row.id)) return problem(409, `A document with id ${row.id} already exists.`);
    rows.set(row.id, row);
    return { status: 201, body: row };
  }

  /** The status is 200 even if rows were rejected: each line says whether its row was taken. */
  function importRows(collection: Collection, sent: string, action: string): Answer {
    const all = sent.split("\n").map((line): Row => JSON.parse(line));
    const taken = test.mode === "up" ? all.length : Math.floor(all.length / 2);
    const lines = all.map((row, at) => {
      const { status, body } = at < taken ? write(collection, row, action) : problem(400, "not taken");
      if (status === 201) test.imported += 1;
      const { message: error } = body as { readonly message?: string };
      return status === 201
        ? { success: true }
        : { success: false, code: status, error, document: JSON.stringify(row) };
    });
    return test.mode === "breaks" ? problem(503, "Not Ready or Lagging") : { status: 200, body: lines };
  }

  return test;
}

const TYPES: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["string", (value: unknown) => typeof value === "string"],
  ["int32", (value: unknown) => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31],
  ["int64", (value: unknown) => Number.isSafeInteger(value)],
  ["float", (value: unknown) => typeof value === "number"],
  ["bool", (value: unknown) => typeof value === "boolean"],
  ["string[]", (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === "string")],
]);

function faultOf(fields: readonly Field[], row: Row): string | undefined {
  if (typeof row.id !== "string" || encodeURIComponent(row.id) !== row.id)
    return "Document's `id` field should be a string.";
  for (const { name, type, optional } of fields) {
    const { [name]: value } = row;
    if (value === undefined && optional === true) continue;
    if (value === undefined)
      return `Field \`${name}\` has been declared in the schema, but is not found in the document.`;
    if (TYPES.get(type)?.(value) !== true) return `Field \`${name}\` must be ${type === "int64" ? "an" : "a"} ${type}.`;
  }
  return undefined;
}

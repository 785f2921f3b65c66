import { z } from "zod";
import { isStream, type Route, type RouteSpec, specOf } from "./route.ts";

/** Tags by path; the first match counts. Any other path has its first word as its tag. */
const TAGS: readonly (readonly [RegExp, string])[] = [
  [/^\/api\/(?:login|logout|me)$|\/(?:login|tokens|keys)\b/, "access"],
  [/^\/api\/v1\/sessions/, "moments"],
  [/\/(?:messages|cancel)$/, "messages"],
  [/\/classification$/, "classification"],
  [/\/prompts?\b/, "prompt"],
  [/^\/api\/(?:overview|figures|events|decisions|journal|stream)\b/, "journal"],
  [/^\/api\/adherence$/, "contract"],
  [/^\/api\/(?:health|governance|openapi|coverage|metrics|switches)\b/, "system"],
];

/** Returns the OpenAPI 3.1 description of the routes. `schemas`: the schemas of our own types, by name. */
export function openApi(routes: readonly Route[], version: string, schemas: object) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const { key } = route;
    const { summary, roles, query, body, response, status = 200 } = specOf(route);
    const [method = "", path = ""] = key.split(" ");
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
      name,
      in: "path",
      required: true,
      schema: { type: "string" },
    }));
    const asked = query === undefined ? [] : queryParameters(query);
    paths[path] ??= {};
    const operations = paths[path];
    operations[method.toLowerCase()] = {
      summary,
      tags: [TAGS.find(([of]) => of.test(path))?.[1] ?? path.split("/")[2]],
      operationId: operationId(method, path),
      ...(roles === "public" ? { security: [] } : { "x-roles": roles }),
      parameters: [...named, ...asked],
      requestBody:
        body === undefined
          ? undefined
          : { required: true, content: { "application/json": { schema: schemaOf(body, "input") } } },
      responses: {
        [status]: { description: "Done", ...contentOf(response) },
        default: { description: "A problem", content: { "application/problem+json": { schema: PROBLEM } } },
      },
    };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Conduct gateway", version },
    security: [{ token: [] }, { cookie: [] }],
    components: {
      schemas,
      securitySchemes: {
        token: { type: "http", scheme: "bearer" },
        cookie: { type: "apiKey", in: "cookie", name: "conduct_session" },
      },
    },
    paths,
  };
}

const PROBLEM = {
  type: "object",
  properties: {
    title: { type: "string" },
    status: { type: "integer" },
    code: { type: "string" },
    detail: { type: "string" },
    fix: { type: "string" },
  },
  required: ["title", "status", "code", "detail"],
};

function contentOf(response: RouteSpec["response"]): object {
  if (isStream(response)) return { content: { "text/event-stream": { schema: { type: "string" } } } };
  if (response === "text") return { content: { "text/plain": { schema: { type: "string" } } } };
  return { content: { "application/json": { schema: schemaOf(response, "output") } } };
}

function queryParameters(query: z.ZodObject): readonly object[] {
  const { properties = {}, required = [] } = schemaOf(query, "input") as {
    properties?: Record<string, object>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): object {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Record<
    string,
    unknown
  >;
  return rest;
}

function operationId(method: string, path: string): string {
  const words = path
    .replace("/api/", "")
    .split(/[/{}.-]+/)
    .filter(Boolean);
  return [method.toLowerCase(), ...words]
    .map((word, at) => (at === 0 ? word : word[0]?.toUpperCase() + word.slice(1)))
    .join("");
}

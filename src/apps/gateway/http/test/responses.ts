import { readFileSync } from "node:fs";
import { z } from "zod";
import { openApi } from "../openapi.ts";
import { ROUTES } from "../routes/index.ts";

const SCHEMAS = new URL("../../../../../docs/schema/api-types.schema.json", import.meta.url);

type Operation = { readonly responses: { readonly [status: string]: { readonly content?: Content } } };
type Content = { readonly "application/json"?: { readonly schema: object } };
type Schema = Parameters<typeof z.fromJSONSchema>[0];
/**
 * Adapted for `fromJSONSchema`: references point to `$defs`, and `readOnly` is dropped because it does not constrain
 * values.
 */
const described = JSON.parse(
  JSON.stringify(openApi(ROUTES, "test", JSON.parse(readFileSync(SCHEMAS, "utf8")))).replaceAll(
    "#/components/schemas/",
    "#/$defs/",
  ),
);
const schemas = new Map<string, z.ZodType>();

/** Returns the route key of a request: `GET /api/agents/{name}`. */
function routeOf(method: string, path: string): string | undefined {
  const routes = ROUTES.map(({ key }): string => key).filter((key) => key.startsWith(`${method} `));
  const matches = (key: string) =>
    new RegExp(`^${(key.split(" ")[1] ?? "").replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path);
  return routes.find((key) => key.endsWith(` ${path}`)) ?? routes.find(matches);
}

function schemaOf(route: string, status: number): z.ZodType | undefined {
  const [method = "", path = ""] = route.split(" ");
  const operation = described.paths[path]?.[method.toLowerCase()] as Operation | undefined;
  const schema = operation?.responses[status]?.content?.["application/json"]?.schema;
  if (schema === undefined) return undefined;
  const known = schemas.get(route) ?? z.fromJSONSchema({ ...schema, $defs: described.components.schemas } as Schema);
  schemas.set(route, known);
  return known;
}

/** Returns the parts of a response that the OpenAPI description does not allow; empty if it matches. */
export function responseFaults(method: string, path: string, status: number, body: unknown): readonly string[] {
  const route = routeOf(method, path);
  if (route === undefined) return [];
  const schema = schemaOf(route, status);
  if (schema === undefined) return status < 300 ? [`${route} declares no JSON response with status ${status}`] : [];
  const { error } = schema.safeParse(body);
  return error === undefined ? [] : [`${route} sent what it does not declare:\n${z.prettifyError(error)}`];
}

/** `fetch` that rejects if a successful JSON response does not match the route's declaration. */
export const checkedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (!response.ok || response.headers.get("content-type")?.startsWith("application/json") !== true) return response;
  const { pathname } = new URL(String(input));
  const faults = responseFaults(init?.method ?? "GET", pathname, response.status, await response.clone().json());
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return response;
};

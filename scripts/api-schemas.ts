import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { API, type Checker, SymbolFlags, type Type, TypeFlags } from "typescript/unstable/sync";

type Schema = { readonly [key: string]: unknown };

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TYPES = join(ROOT, "src/apps/gateway/http/response-types.ts");
export const API_SCHEMAS = join(ROOT, "docs/schema/api-types.schema.json");

/** Returns the JSON schemas of every type in `ResponseTypes` and of the named types they use, by name. */
function apiSchemas(): { readonly [name: string]: Schema } {
  const api = new API({ cwd: ROOT });
  try {
    const project = api.updateSnapshot({ openProjects: [join(ROOT, "tsconfig.json")] }).getProjects()[0];
    const file = project?.program.getSourceFile(TYPES);
    if (project === undefined || file === undefined) throw new Error(`${TYPES} is not part of the project`);
    const { checker } = project;
    const module = checker.getSymbolAtLocation(file);
    const listed = module && checker.getExportsOfModule(module).find(({ name }) => name === "ResponseTypes");
    if (listed === undefined) throw new Error(`${TYPES} does not export ResponseTypes`);
    return new SchemaWriter(checker).writeAll(checker.getDeclaredTypeOfSymbol(listed));
  } finally {
    api.close();
  }
}

class SchemaWriter {
  readonly #checker: Checker;
  readonly #named = new Map<string, Schema>();

  constructor(checker: Checker) {
    this.#checker = checker;
  }

  writeAll(types: Type): { readonly [name: string]: Schema } {
    for (const property of this.#checker.getPropertiesOfType(types)) {
      const type = this.#checker.getTypeOfSymbol(property);
      if (type === undefined || type.isErrorType()) throw new Error(`the type of ${property.name} cannot be resolved`);
      if (this.#nameOf(type) !== property.name) this.#named.set(property.name, this.#write(type));
      else this.#schemaOf(type);
    }
    return Object.fromEntries([...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns a reference for a named type, whose schema is written once; otherwise the schema itself. */
  #schemaOf(type: Type): Schema {
    const name = this.#nameOf(type);
    if (name === undefined || type.flags & (TypeFlags.StringLike | TypeFlags.NumberLike)) return this.#write(type);
    if (!this.#named.has(name)) {
      this.#named.set(name, {});
      this.#named.set(name, this.#write(type));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #nameOf(type: Type): string | undefined {
    return type.getAliasTypeArguments().length > 0 ? undefined : type.getAliasSymbol()?.name;
  }

  #write(type: Type): Schema {
    if (type.flags & TypeFlags.Boolean) return { type: "boolean" };
    if (type.isUnionType()) return this.#union(type.getTypes());
    if (type.isLiteralType()) return { const: type.value };
    if (type.isTemplateLiteralType()) return { type: "string", pattern: `^${type.texts.join(".*")}$` };
    if (type.flags & TypeFlags.String) return { type: "string" };
    if (type.flags & TypeFlags.Number) return { type: "number" };
    if (type.flags & TypeFlags.Null) return { type: "null" };
    if (type.flags & (TypeFlags.Unknown | TypeFlags.Any)) return {};
    if (type.isTypeReference() && this.#checker.isArrayLikeType(type)) {
      const [items] = this.#checker.getTypeArguments(type);
      if (items !== undefined) return { type: "array", items: this.#schemaOf(items) };
    }
    if (type.isObjectType() || type.isIntersectionType()) return this.#object(type);
    throw new Error(`no JSON schema for the type ${this.#checker.typeToString(type)}`);
  }

  #union(types: readonly Type[]): Schema {
    const present = types.filter(({ flags }) => !(flags & TypeFlags.Undefined));
    const literals = present.flatMap((one) => (one.isLiteralType() ? [one.value] : []));
    const isBoolean = literals.includes(true) && literals.includes(false);
    const values = literals.filter((value) => !isBoolean || typeof value !== "boolean");
    const all: Schema[] = [
      ...(isBoolean ? [{ type: "boolean" }] : []),
      ...(values.length === 0 ? [] : [values.length === 1 ? { const: values[0] } : { enum: values }]),
      ...present.filter((one) => !one.isLiteralType()).map((one) => this.#schemaOf(one)),
    ];
    return all.length === 1 && all[0] !== undefined ? all[0] : { anyOf: all };
  }

  #object(type: Type): Schema {
    const properties: Record<string, Schema> = {};
    const required: string[] = [];
    for (const property of this.#checker.getPropertiesOfType(type)) {
      const isOptional = (property.flags & SymbolFlags.Optional) !== 0;
      const of = this.#checker.getTypeOfSymbol(property);
      if (of === undefined) throw new Error(`the type of ${property.name} cannot be resolved`);
      properties[property.name] = this.#schemaOf(isOptional ? this.#withoutUndefined(of) : of);
      if (!isOptional) required.push(property.name);
    }
    const [index] = this.#checker.getIndexInfosOfType(type);
    const additionalProperties = index === undefined ? false : this.#schemaOf(index.valueType);
    return { type: "object", properties, required, additionalProperties };
  }

  /** Keeps the name of `Name | undefined` if only `undefined` is removed. */
  #withoutUndefined(type: Type): Type {
    const isNullable = type.isUnionType() && type.getTypes().some(({ flags }) => flags & TypeFlags.Null);
    return isNullable ? type : (this.#checker.getNonNullableType(type) ?? type);
  }
}

/** Writes one line per type, so that a diff shows which types have changed. */
export function schemasText(): string {
  const lines = Object.entries(apiSchemas()).map(
    ([name, schema]) => `  ${JSON.stringify(name)}: ${JSON.stringify(schema)}`,
  );
  return `{\n${lines.join(",\n")}\n}\n`;
}

/** `npm run api-schemas` writes the file; a test fails while it is not current. */
if (import.meta.main) writeFileSync(API_SCHEMAS, schemasText());

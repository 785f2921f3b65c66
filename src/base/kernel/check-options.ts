import { nearest } from "./nearest.ts";

/** A check for a value. `faults` returns every fault, each starting with the value's path. */
export type Shape = {
  readonly expected: string;
  readonly optional: boolean;
  faults(value: unknown, path: string): readonly string[];
};

export type Shapes = { readonly [key: string]: Shape };

/** A shape for every key of a type, so that an option without one does not compile. */
export type ShapesOf<T> = { readonly [K in keyof Required<T>]: Shape };

/** Invalid options. `faults` lists all faults, not only the first. */
export class OptionsError extends TypeError {
  readonly faults: readonly string[];
  constructor(who: string, faults: readonly string[]) {
    super(`${who}: the options cannot be used.\n${faults.map((fault) => `  - ${fault}`).join("\n")}`);
    this.name = "OptionsError";
    this.faults = faults;
  }
}

/** Throws an `OptionsError` for unknown keys and values of the wrong shape. */
export function checkOptions(who: string, options: unknown, keys: Shapes): void {
  const faults = optionFaults(options, keys);
  if (faults.length > 0) throw new OptionsError(who, faults);
}

/** Returns every fault of an options object; `path` is its place in a larger one. */
export function optionFaults(options: unknown, keys: Shapes, path = ""): readonly string[] {
  const names = Object.keys(keys);
  if (!isPlainObject(options)) {
    const what = path === "" ? "the options are" : `'${path}' is`;
    return [`${what} ${describe(options)}; expected an object with ${quoted(names)}`];
  }
  const at = (key: string) => (path === "" ? key : `${path}.${key}`);
  const unknown = Object.keys(options).filter((key) => !Object.hasOwn(keys, key));
  const values = options;
  return [
    ...unknown.map((key) => unknownKey(at(key), key, names)),
    ...Object.entries(keys).flatMap(([key, shape]) => {
      const value = values[key];
      if (value !== undefined) return shape.faults(value, at(key));
      return shape.optional ? [] : [`'${at(key)}' is missing; it must be ${shape.expected}`];
    }),
  ];
}

function unknownKey(shown: string, key: string, names: readonly string[]): string {
  const meant = nearest(key, names);
  const hint = meant === undefined ? "" : `; did you mean '${meant}'?`;
  return `there is no option '${shown}'${hint} Options are ${quoted(names)}`.replace("' Options", "'. Options");
}

function quoted(names: readonly string[]): string {
  return names.length === 0 ? "no keys" : names.map((name) => `'${name}'`).join(", ");
}

/** A shape of which `test` accepts the value as a whole; `inner` then reports the faults inside it. */
function of(expected: string, test: (value: unknown) => boolean, inner: Shape["faults"] = () => []): Shape {
  const faults: Shape["faults"] = (value, path) =>
    test(value) ? inner(value, path) : [`'${path}' is ${describe(value)}; it must be ${expected}`];
  return { expected, optional: false, faults };
}

export const text = of("a text", (value) => typeof value === "string");
export const name = of("a text that is not empty", (value) => typeof value === "string" && value.trim() !== "");
export const flag = of("true or false", (value) => typeof value === "boolean");
export const number = of("a number", (value) => typeof value === "number");
export const positive = of("a number above 0", (value) => typeof value === "number" && value > 0);
export const callback = of("a function", (value) => typeof value === "function");
/** An object of any class. Its methods are not checked. */
export const object = of("an object", (value) => typeof value === "object" && value !== null && !Array.isArray(value));
export const anything = of("any value", () => true);

/** Rejects a string, which would be iterated letter by letter. */
export const names = of("a list of names", (value) => {
  if (typeof value !== "object" || value === null || !(Symbol.iterator in value)) return false;
  return [...(value as Iterable<unknown>)].every((one) => typeof one === "string");
});

export function optional(shape: Shape): Shape {
  return { ...shape, optional: true };
}

export function oneOf(...values: readonly unknown[]): Shape {
  const all = values.map((value) => (typeof value === "string" ? `'${value}'` : String(value)));
  return of(`one of ${all.join(", ")}`, (value) => values.includes(value));
}

/** Accepts either shape. If neither fits, reports the faults of the one closer to the value's type. */
export function either(first: Shape, second: Shape): Shape {
  const expected = `${first.expected} or ${second.expected}`;
  const faults = (value: unknown, path: string) => {
    const [one, other] = [first.faults(value, path), second.faults(value, path)];
    if (one.length === 0 || other.length === 0) return [];
    return isPlainObject(value) || Array.isArray(value)
      ? other
      : [`'${path}' is ${describe(value)}; it must be ${expected}`];
  };
  return { expected, optional: false, faults };
}

export function listOf(item: Shape): Shape {
  return of(`a list, each entry ${item.expected}`, Array.isArray, (list, path) =>
    (list as readonly unknown[]).flatMap((one, at) => item.faults(one, `${path}[${at}]`)),
  );
}

export function mapOf(value: Shape): Shape {
  return of(`a map from names to values, each ${value.expected}`, isPlainObject, (given, path) =>
    Object.entries(given as object).flatMap(([key, one]) => value.faults(one, `${path}.${key}`)),
  );
}

export function shape(keys: Shapes): Shape {
  return {
    expected: `an object with ${quoted(Object.keys(keys))}`,
    optional: false,
    faults: (value, path) => optionFaults(value, keys, path),
  };
}

export function having(...methods: readonly string[]): Shape {
  const expected = `an object with ${methods.map((method) => `${method}()`).join(" and ")}`;
  return of(expected, (value) => {
    if (typeof value !== "object" || value === null) return false;
    return methods.every((method) => typeof Reflect.get(value, method) === "function");
  });
}

function isPlainObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function describe(value: unknown): string {
  if (value === null || value === undefined || typeof value === "number") return String(value);
  if (typeof value === "string") return value.length > 40 ? "a long text" : `the text '${value}'`;
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

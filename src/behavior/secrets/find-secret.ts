import {
  ADDRESS,
  ASSIGNMENT,
  FIXTURE,
  HARMLESS_FILE,
  HARMLESS_NAME,
  MAYBE_SECRET,
  PLACEHOLDER,
  SECRET_FORMATS,
} from "./secret-formats.ts";

/** Where a secret is. The secret itself is never repeated. */
export type FoundSecret = { readonly line: number; readonly kind: string };

/** Longer lines are generated or data. */
const MAX_LINE = 2_000;

/** The first secret in a file, if there is one. */
export function findSecret(text: string, path: string): FoundSecret | undefined {
  if (HARMLESS_FILE.test(path) || !MAYBE_SECRET.test(text)) return undefined;
  const fixture = FIXTURE.test(path);
  const lines = text.split("\n");
  for (const [at, line] of lines.entries()) {
    if (line.length > MAX_LINE || !MAYBE_SECRET.test(line)) continue;
    const kind = kindOf(line, lines[at + 1] ?? "", fixture);
    if (kind !== undefined) return { line: at + 1, kind };
  }
  return undefined;
}

function kindOf(line: string, next: string, fixture: boolean): string | undefined {
  for (const { name, pattern, sure } of SECRET_FORMATS) {
    const [found] = pattern.exec(line) ?? [];
    if (found === undefined || (fixture && !sure) || isMadeUp(found)) continue;
    // A sentence about keys is no key.
    if (
      name === "private key" &&
      !/^[\s"'+]*[A-Za-z0-9+/=\\]{30,}|Proc-Type:/.test(next) &&
      !/\\n[A-Za-z0-9+/]{30}/.test(line)
    )
      continue;
    return name;
  }
  if (fixture) return undefined;
  return hasPassword(line) ? "password in an address" : assignsSecret(line) ? "secret value" : undefined;
}

/** The examples of documentation: AKIAIOSFODNN7EXAMPLE, ghp_xxxxxxxx. */
function isMadeUp(token: string): boolean {
  return /example|xxxx|0000000|1234567|abcdefgh|(.)\1{7}/i.test(token);
}

function hasPassword(line: string): boolean {
  const { user = "", password = "", host = "" } = ADDRESS.exec(line)?.groups ?? {};
  if (password === "" || password === user || PLACEHOLDER.test(password)) return false;
  const local = /^(?:localhost|127\.|0\.0\.0\.0|host\.docker|[a-z0-9-]+$)|example\.|\.(?:test|local|invalid)$/i.test(
    host,
  );
  return !local && isRandom(password, 2.5);
}

function assignsSecret(line: string): boolean {
  const { name = "", quoted, bare } = ASSIGNMENT.exec(line)?.groups ?? {};
  const value = quoted ?? bare ?? "";
  if (value === "" || HARMLESS_NAME.test(name) || PLACEHOLDER.test(value)) return false;
  // Addresses, paths, names of variables, calls, versions and UUIDs.
  if (/^(?:[a-z]+:\/\/|[./~@]|[\w-]+(?:\.[\w-]+)+$|[0-9a-f]{8}-[0-9a-f]{4}-)|[()[\]]/i.test(value)) return false;
  return isRandom(value, 3.3);
}

/** Letters and digits without a visible order. */
function isRandom(value: string, least: number): boolean {
  const digits = value.match(/\d/g)?.length ?? 0;
  // Words that are joined: my-secret-name-2, SOME_CONSTANT_NAME.
  const words = value.split(/[-_./]/).filter((part) => /^[a-z]{3,}$|^[A-Z]{3,}$|^[A-Z]?[a-z]{3,}$/.test(part));
  if (digits < 2 || !/[A-Za-z]/.test(value) || words.length > 1) return false;
  return entropy(value) >= least;
}

/** Bits per character. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const one of value) counts.set(one, (counts.get(one) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

import { describe, expect, it } from "vitest";
import { findSecret } from "./find-secret.ts";

/** Joined here, so that this file itself contains no token. */
const token = (...parts: readonly string[]) => parts.join("");
const RANDOM = "q8Zr4TnW2pLx9VbK7mYdC3sHf6JgQ1eRtUaN";

describe("findSecret", () => {
  it.each([
    ["AWS access key", `id = ${token("AKIA", "Q4ZR7TNW2PLX9VBK")}`],
    ["GitHub token", `curl -H "Authorization: ${token("ghp_", RANDOM)}"`],
    ["GitHub token", token("github_pat_", RANDOM, RANDOM)],
    ["Anthropic key", `key: ${token("sk-", "ant-api03-", RANDOM)}`],
    ["Slack token", token("xoxb-", "93841627350-93841627351-", RANDOM)],
    ["Stripe key", token("sk_", "live_", RANDOM)],
    ["npm token", `//registry/:_authToken=${token("npm_", RANDOM)}`],
    ["private key", `-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAx8Zr4TnW2pLx9VbK7mYdC3sHf6JgQ1eRtUaN\n`],
    ["secret value", `const API_KEY = "${RANDOM}";`],
    ["secret value", `{"client_secret": "${RANDOM}"}`],
    ["secret value", `export DB_PASSWORD=${RANDOM}`],
    ["password in an address", `DATABASE_URL=postgres://app:${RANDOM.slice(0, 16)}@db.acme.io:5432/app`],
  ])("SCT-1 %s is found, with its line and without its value", (kind, text) => {
    const found = findSecret(`first\n${text}\n`, "src/config.ts");
    expect(found).toEqual({ line: 2, kind });
  });

  it.each([
    ["an example of the documentation", "AKIAIOSFODNN7EXAMPLE"],
    ["a placeholder", 'API_KEY = "your-api-key-goes-here-123"'],
    ["a variable", "const apiKey = process.env.API_KEY_FOR_PRODUCTION_1;"],
    ["a template", `token: "\${{ secrets.GITHUB_TOKEN_42 }}"`],
    ["a name made of words", 'const TOKEN_KEY = "conduct-session-token-v2-store";'],
    ["a checksum", `"token_sha256": "${"3f".repeat(32)}"`],
    ["an integrity hash", `integrity "sha512-${RANDOM}${RANDOM}=="`],
    ["a commit id", "secretsVersion: 9fceb02d0ae598e95dc970b74767f19372d61af8x".replace("secretsVersion", "commit")],
    ["a UUID", 'tokenRef = "9fceb02d-0ae5-98e9-5dc9-70b74767f193"'],
    ["a local database", "postgres://postgres:postgres@localhost:5432/app"],
    ["a database in compose", "postgres://app:q8Zr4TnW2pLx@db:5432/app"],
    ["a sentence about keys", "Paste the text from -----BEGIN PRIVATE KEY----- on."],
    ["a call", 'const password = generatePassword(16, "a1b2c3d4e5f6g7h8");'],
    ["a public key", `publicKey = "${RANDOM}"`],
    ["a type", "secretToken: z.string().min(20).max(40),"],
  ])("SCT-2 %s is no secret: %s", (_, text) => {
    expect(findSecret(text, "src/config.ts")).toBeUndefined();
  });

  it.each([
    ["package-lock.json", `"token": "${RANDOM}"`, false],
    ["test/fixtures/server.key", `-----BEGIN PRIVATE KEY-----\n${RANDOM}${RANDOM}\n`, false],
    ["src/login.test.ts", `const password = "${RANDOM}";`, false],
    ["src/login.test.ts", token("ghp_", RANDOM), true],
    ["README.md", `API_KEY="${RANDOM}"`, false],
    [".env.example", `API_KEY=${RANDOM}`, false],
  ])("SCT-3 in %s the text %s counts: %s", (path, text, counts) => {
    expect(findSecret(text, path) !== undefined).toBe(counts);
  });
});

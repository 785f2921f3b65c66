import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactFound, redactSecrets } from "./redact-secrets.ts";

/** Made here, so that no file holds anything that looks like a key. */
const RANDOM = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
const key = (length: number) => RANDOM.slice(0, length);
const pem = (kind: string, body = `\n${RANDOM}\n${RANDOM}\n`) =>
  `-----BEGIN ${kind}PRIVATE KEY-----${body}-----END ${kind}PRIVATE KEY-----`;

describe("secrets", () => {
  it.each([
    ["Anthropic", `sk-ant-api03-${RANDOM}`, "sk-ant-[redacted]"],
    ["OpenAI", `sk-${RANDOM}`, "sk-[redacted]"],
    ["OpenAI, of a project", `sk-proj-${RANDOM}_-x`, "sk-proj-[redacted]"],
    ["GitHub", `ghp_${key(36)}`, "ghp_[redacted]"],
    ["GitHub, OAuth", `gho_${key(36)}`, "gho_[redacted]"],
    ["GitHub, fine-grained", `github_pat_${key(22)}_${key(30)}`, "github_pat_[redacted]"],
    ["GitLab", `glpat-${key(20)}`, "glpat-[redacted]"],
    ["Slack", `xoxb-123456789012-${key(24)}`, "xoxb-[redacted]"],
    ["AWS", `AKIA${"ABCDEFGH23456723"}`, "AKIA[redacted]"],
    ["AWS without a figure", `AKIA${"ABCDEFGHIJKLMNOP"}`, "AKIA[redacted]"],
    ["Google", `AIza${key(35)}`, "AIza[redacted]"],
    ["Stripe", `sk_live_${key(24)}`, "sk_live_[redacted]"],
    ["npm", `npm_${key(36)}`, "npm_[redacted]"],
    ["Telegram", `123456789:AA${key(33)}`, "123456789:[redacted]"],
    ["a JWT", `eyJhbGciOiJIUzI1NiJ9.eyJ${key(20)}.${key(30)}`, "eyJ[redacted]"],
    ["a bearer", `bearer ${key(24)}`, "bearer [redacted]"],
  ])("K17: a key of %s is redacted and its prefix stays visible", (_what, secret, shown) => {
    for (const [before, after] of [
      ["", ""],
      ["see ", " there"],
      ["['", "']"],
      ["\n", "\n"],
    ]) {
      expect(redactSecrets(`${before}${secret}${after}`)).toBe(`${before}${shown}${after}`);
    }
  });

  it.each([
    ["Authorization: Bearer abc123xyz", "Authorization: Bearer [redacted]"],
    ['"authorization": "Basic dXNlcjpwYXNz"', '"authorization": "Basic [redacted]"'],
    [`Authorization: ${key(20)}`, "Authorization: [redacted]"],
    ["password=hunter", "password=[redacted]"],
    ["DB_PASSWORD=hunter2 USER=ann", "DB_PASSWORD=[redacted] USER=ann"],
    ["password: hunter", "password: [redacted]"],
    ['{"password":"two words","user":"ann"}', '{"password":"[redacted]","user":"ann"}'],
    ['{\\"password\\":\\"hunter\\",\\"user\\":1}', '{\\"password\\":\\"[redacted]\\",\\"user\\":1}'],
    ['password="a\\"b" x', 'password="[redacted]" x'],
    ["api_key: abc", "api_key: [redacted]"],
    ["apiKey='x y z'", "apiKey='[redacted]'"],
    ["https://x.test/?token=abc&page=2", "https://x.test/?token=[redacted]&page=2"],
    ["access_token=abc", "access_token=[redacted]"],
    ["client_secret = a1b2c3", "client_secret = [redacted]"],
    [`aws_secret_access_key = /${RANDOM}`, "aws_secret_access_key = [redacted]"],
    ["postgres://ann:hunter2@db.test/x", "postgres://ann:[redacted]@db.test/x"],
    ["redis://:p@ss@h:6379", "redis://:[redacted]@h:6379"],
    [`a\n${pem("RSA ")}\nb`, "a\n-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----\nb"],
    [`${pem("")}${pem("EC ")}`, `${pem("", "[redacted]")}${pem("EC ", "[redacted]")}`],
    ["-----BEGIN PRIVATE KEY-----\nabc", "-----BEGIN PRIVATE KEY-----[redacted]"],
  ])("K17: redaction shows %j as %j", (text, shown) => {
    expect(redactSecrets(text)).toBe(shown);
  });

  it.each([
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "id 123e4567-e89b-12d3-a456-426614174000",
    "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    "Tokens: 150, max_tokens=4096, tokens: 12",
    "the token: an opaque value",
    "const token = parser.next();",
    "if (token == expected) return token => token;",
    "password: string;",
    "password = None",
    "token=$(pass show x)",
    "PASSWORD=$PASSWORD",
    "PWD=/home/ann",
    "secret: true",
    "the task-force-of-twelve-people, risk-averse",
    "class='sk-toggleable-content-fitted-label'",
    "npm_config_registry_of_the_house",
    "Authorization: required",
    "bearer certificates-are-old-fashioned",
    "http://localhost:8080/a@b",
    "git@github.com:org/repo.git, ann@x.test",
    "AKIA is a prefix, and so are sk- and ghp_",
    "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
  ])("K17: %j contains no secret and stays unchanged", (text) => {
    expect(redactSecrets(text)).toBe(text);
  });

  it("K17: redacting text twice changes nothing more", () => {
    const parts = fc.constantFrom(
      "password=",
      "token: ",
      "sk-",
      RANDOM,
      '"',
      " ",
      "\n",
      "x",
      "https://a:",
      "@",
      pem(""),
    );
    fc.assert(
      fc.property(
        fc.array(parts, { maxLength: 8 }).map((all) => all.join("")),
        (text) => {
          const once = redactSecrets(text);
          expect(redactSecrets(once)).toBe(once);
          // In the middle of a word `sk-` begins no key; at the end, behind a space, it does.
          expect(redactSecrets(`${text} sk-${RANDOM}`).endsWith(` sk-${RANDOM}`)).toBe(false);
        },
      ),
    );
  });

  // A pattern that reads a run again from each of its characters would be here for hours.
  it.each([
    "a",
    "A",
    "1",
    " ",
    '"',
    "\\",
    "sk-",
    "sk-a1",
    "ghp_",
    "github_pat_",
    "eyJ",
    "eyJaaaaaaaaa.",
    "token=",
    "token: ",
    'token="',
    'token=\\"',
    "password",
    "secret_access_",
    "authorization",
    "authorization: ",
    "bearer ",
    "a://",
    "a://b:",
    "http://a:b",
    "12345678:AA",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN ",
    "-----END ",
    "-----BEGIN PRIVATE KEY----------END ",
  ])("K17: a megabyte of %j is redacted in linear time", (part) => {
    const text = part.repeat(Math.ceil(1_000_000 / part.length));
    expect(redactSecrets(text).length).toBeGreaterThan(0);
  });

  it.each([
    ["DB_PASS=hunter2", "DB_PASS=[redacted]"],
    ["mysql --password hunter2 -h db", "mysql --password [redacted] -h db"],
    ["--password string  the password", "--password string  the password"],
    ["--token $TOKEN", "--token $TOKEN"],
    ["< Set-Cookie: sid=abc; Path=/", "< Set-Cookie: [redacted]"],
    ["Cookies: none", "Cookies: none"],
    ["pass: 12, fail: 0", "pass: 12, fail: 0"],
  ])("K17: redaction turns %j into %j", (text, shown) => {
    expect(redactSecrets(text)).toBe(shown);
  });
});

it("FAST-6 a text without any hint of a secret contains none that the patterns would find", () => {
  const pieces = [
    ...[
      "sk-",
      "ghp_",
      "gho_",
      "github_pat_",
      "glpat-",
      "glsoat-",
      "xoxb-",
      "xapp-",
      "GOCSPX-",
      "AKIA",
      "ASIA",
      "AIza",
      "ya29.",
    ],
    ...[
      "rk_live_",
      "pk_test_",
      "whsec_",
      "npm_",
      "hf_",
      "gsk_",
      "123456789:AA",
      "eyJ",
      "Bearer ",
      "Authorization: ",
      "set-cookie: a=",
    ],
    ...[
      "PASSWORD=",
      "db_pass: ",
      "pwd=",
      "Secret: ",
      "--token ",
      "--api-key ",
      "api_key=",
      "access-key: ",
      "://ann:",
      "@",
      "passphrase=",
    ],
    ...[
      "-----BEGIN PRIVATE KEY-----",
      "-----END PRIVATE KEY-----",
      '"',
      "'",
      " ",
      "\n",
      "=",
      ".",
      RANDOM,
      key(20),
      "ABCDEFGHIJKLMNOP",
      "word",
    ],
  ];
  const text = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 4 })), { maxLength: 8 });
  fc.assert(
    fc.property(text, (parts) => {
      for (const whole of [parts.join(""), parts.join("").toLowerCase(), parts.join("").toUpperCase()])
        expect(redactSecrets(whole, () => "[x]")).toBe(redactFound(whole, () => "[x]"));
    }),
    { numRuns: 3_000 },
  );
});

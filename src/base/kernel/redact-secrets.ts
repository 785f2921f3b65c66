const GONE = "[redacted]";

export type SecretMark = (secret: string) => string;

/**
 * Redacts text that looks like a key, token or password; names and prefixes that show its kind stay. Best effort for
 * display: a secret that looks like an ordinary word is missed. Linear time on any text.
 */
export function redactSecrets(text: string, mark: SecretMark = () => GONE): string {
  return HINT.test(text) ? redactFound(text, mark) : text;
}

/** Every secret that a pattern below finds contains one of these. Most texts contain none and are searched once. */
const HINT =
  /pass|pwd|secret|token|key|authorization|cookie|bearer|:\/\/|sk-|gh[pousr]_|github_pat_|k_(?:live|test)_|whsec_|npm_|hf_|gsk_|gl(?:pat|dt|rt|ft|ptt|cbt|soat)-|xox[a-z]-|xapp-|GOCSPX-|A(?:KI|SI)A|AIza|ya29\.|\d:AA|eyJ/i;

/** As `redactSecrets`, without looking for hints first. */
export function redactFound(text: string, mark: SecretMark): string {
  const clean = text
    .replace(PRIVATE_KEY, (_all, begin: string, key: string, end: string) => `${begin}${mark(key)}${end}`)
    .replace(AUTHORIZATION, (all, name: string, key: string) => (isKey(key) ? `${name}${mark(key)}` : all))
    .replace(URL_PASSWORD, (_all, before: string, password: string) => `${before}${mark(password)}@`)
    .replace(COOKIE, (_all, name: string, value: string) => `${name}${mark(value)}`)
    .replace(OPTION, (all, name: string, value: string) => (NO_VALUE.test(value) ? all : `${name}${mark(value)}`))
    .replace(NAMED, (...match: readonly string[]) => redactNamed(mark, ...match));
  return TOKENS.reduce(
    (before, token) =>
      before.replace(token, (all, prefix: string, key: string) => (isKey(key) ? `${prefix}${mark(key)}` : all)),
    clean,
  );
}

/** A private key without an end marker is redacted to the end of the text. */
const PRIVATE_KEY =
  /(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)([\s\S]*?)(-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;

const AUTHORIZATION =
  /(authorization\\?["']?[ \t]{0,4}[:=][ \t]{0,4}\\?["']?(?:(?:bearer|basic|digest|token|apikey)[ \t]{1,4})?)([\w.~+/=:-]{6,})/gi;

const URL_PASSWORD = /((?<![a-z])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@?#]{0,128}:)([^\s/]{1,256})@/gi;

/** A header of an HTTP request or response, as shown by curl -v. */
const COOKIE = /((?<![\w-])(?:set-)?cookie2?[ \t]{0,4}:[ \t]{0,4})([^\s=;]{1,128}=[^\r\n]+)/gi;

/** Command-line options. */
const OPTION = /((?<![\w-])--(?:password|passwd|passphrase|token|secret|api-key)[ \t]{1,4})(?![-$<{[])(\S+)/gi;

/** `name = value`: the value in quotes, or up to the next space or `&`. */
const NAMED =
  /(password|passwd|passphrase|(?<=[a-z0-9]_)pass|pwd|secret(?:[_-]?access)?(?:[_-]?key)?|token|api[_-]?key|access[_-]?key|private[_-]?key)(\\?["']?[ \t]{0,4}(?::=?|=(?![=>]))[ \t]{0,4})(?:(\\?["'`])((?:(?!\3)(?:\\.|[^\n\\]))*)|((?!(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key)[ \t]{0,4}[:=])[^\s"'`&<>]+))/gi;

/** Placeholder values. */
const NO_VALUE =
  /^(?:[Tt]rue|[Ff]alse|null|NULL|nil|[Nn]one|undefined|string|str|number|boolean|any|unknown|required|optional)[,;)}\]]*$|^\$(?:[{(]|[A-Z_]+$)|^[{[(|]+$|^process\.env|^os\.environ/;

function redactNamed(mark: SecretMark, ...match: readonly (string | undefined)[]): string {
  const [all = "", name = "", sign = "", quote, quoted, bare] = match;
  const value = quoted ?? bare ?? "";
  if (value === "" || NO_VALUE.test(value) || (/^pwd$/i.test(name) && /^[/~]/.test(value))) return all;
  // After `token: ` or `secret = ` a plain word is usually prose or code; elsewhere it is the secret itself.
  const loose = quote === undefined && /^(?:token|secret)$/i.test(name) && /[ \t:]/.test(sign);
  const word = value.length < 20 && !(value.length > 5 && isKey(value));
  return loose && word ? all : `${name}${sign}${quote ?? ""}${mark(value)}`;
}

/** Looks random rather than like words: keys mix letters and digits. */
function isKey(text: string): boolean {
  return /\d|[a-z][A-Z]{2}|[A-Z]{2}[a-z]|^[A-Z]{16}$/.test(text);
}

/** Each pattern consumes the whole run of characters, so no run is scanned twice. */
const TOKENS: readonly RegExp[] = [
  // Anthropic, OpenAI, OpenRouter
  /(?<![A-Za-z0-9])(sk-(?:ant-|proj-|svcacct-|or-)?)([\w-]{16,})/g,
  // GitHub, Stripe, npm, Hugging Face, Groq
  /(?<![A-Za-z0-9])(gh[pousr]_|github_pat_|[srp]k_(?:live|test)_|whsec_|npm_|hf_|gsk_)(\w{16,})/g,
  // GitLab, Slack, Google's clients
  /(?<![A-Za-z0-9])(gl(?:pat|dt|rt|ft|ptt|cbt|soat)-|xox[a-z]-|xapp-|GOCSPX-)([\w-]{10,})/g,
  // AWS, Google
  /(?<![A-Za-z0-9])(A(?:KI|SI)A)([A-Z0-9]{16})(?![A-Za-z0-9])/g,
  /(?<![A-Za-z0-9])(AIza|ya29\.)([\w-]{20,})/g,
  // Telegram's bots
  /(?<![A-Za-z0-9])(\d{8,10}:)(AA[\w-]{30,})/g,
  // JSON Web Tokens
  /(?<![\w-])(eyJ)([\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?)/g,
  /(bearer[ \t]{1,4})([\w.~+/=-]{16,})/gi,
];

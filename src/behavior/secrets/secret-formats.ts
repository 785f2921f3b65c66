/** A kind of secret. `sure` kinds are reported in test fixtures too. */
export type SecretFormat = { readonly name: string; readonly pattern: RegExp; readonly sure: boolean };

const sure = (name: string, pattern: RegExp): SecretFormat => ({ name, pattern, sure: true });

/** Tokens whose form shows whose they are, as their vendors document it. */
export const SECRET_FORMATS: readonly SecretFormat[] = [
  sure("AWS access key", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/),
  sure("GitHub token", /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})/),
  sure("GitLab token", /\bgl(?:pat|dt|rt|cbt)-[A-Za-z0-9_-]{20,}/),
  sure("Slack token", /\bxox[abeprs]-[0-9A-Za-z-]{20,}|hooks\.slack\.com\/services\/T\w{6,}\/B\w{6,}\/\w{20,}/),
  sure("Stripe key", /\b[rs]k_live_[0-9A-Za-z]{20,}/),
  sure("Anthropic key", /\bsk-ant-[a-z0-9]+-[A-Za-z0-9_-]{32,}/),
  sure(
    "OpenAI key",
    /\bsk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[A-Za-z0-9]{48}\b)/,
  ),
  sure("Google API key", /\bAIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])/),
  sure("npm token", /\bnpm_[A-Za-z0-9]{36}\b/),
  sure("PyPI token", /\bpypi-AgE[A-Za-z0-9_-]{50,}/),
  sure("SendGrid key", /\bSG\.[\w-]{22}\.[\w-]{43}/),
  sure("Hugging Face token", /\bhf_[A-Za-z]{34}\b/),
  sure("DigitalOcean token", /\bdo[opr]_v1_[a-f0-9]{64}\b/),
  sure("Telegram bot token", /\b\d{8,10}:AA[\w-]{33}(?![\w-])/),
  sure("Shopify token", /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b/),
  sure("Databricks token", /\bdapi[a-f0-9]{32}\b/),
  sure("Vault token", /\bhvs\.[A-Za-z0-9_-]{24,}/),
  sure("Linear key", /\blin_api_[A-Za-z0-9]{40}\b/),
  sure("age key", /\bAGE-SECRET-KEY-1[0-9A-Z]{50,}/),
  { name: "private key", pattern: /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----/, sure: false },
];

/** Text without any of these contains no secret that we know. */
export const MAYBE_SECRET =
  /AKIA|ASIA|gh[pousr]_|github_pat_|gl(?:pat|dt|rt|cbt)-|xox[abeprs]-|hooks\.slack|k_live_|sk-|AIza|npm_|pypi-|SG\.|hf_|_v1_|:AA|shp|dapi|hvs\.|lin_api_|AGE-SECRET|PRIVATE KEY|:\/\/[^\s/]*:[^\s/]*@|key|secret|token|passw|credential/i;

/** `API_KEY = "…"`, `"client_secret": "…"`, `export DB_PASSWORD=…` */
export const ASSIGNMENT =
  /(?<name>[\w.-]*(?:api[_-]?key|secret|token|passwo?r?d|private[_-]?key|access[_-]?key|auth[_-]?key|credential)[\w-]*)["']?\s*(?::=|=>|=|:)\s*(?:(?<quote>["'`])(?<quoted>[^"'`\s]{16,200})\k<quote>|(?<bare>[A-Za-z0-9+/_=.-]{20,200})\s*(?:#.*)?$)/i;

/** `postgres://user:password@host` */
export const ADDRESS =
  /\b[a-z][a-z0-9+.-]{2,20}:\/\/(?<user>[^\s:/@"'`]{1,64}):(?<password>[^\s:/@"'`]{8,128})@(?<host>[\w.-]+)/i;

/** Values that stand for a secret. */
export const PLACEHOLDER =
  /example|sample|change.?me|your|placeholder|dummy|fake|mock|redacted|insert|replace|xxxx|\*{3}|\.{3}|<|>|\$\{|\{\{|%\(|^\$|^%|process\.env|environ|getenv|secrets?\.|vault:|test|1234567|abcdef|foobar|password|localhost|none|null|undefined|(.)\1{5}/i;

/** Names of values that are no secrets. */
export const HARMLESS_NAME =
  /public|publishable|hash|digest|checksum|integrity|sha\d|fingerprint|_id$|[a-z]Id$|name$|path$|file$|url$|uri$|type$|header$|field$|label|prefix$|endpoint|tokenizer|expir|csrf|xsrf|pattern|regex|schema|example|placeholder/i;

/** Files with long random text that is no secret. */
export const HARMLESS_FILE =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|[^/]*\.lock|[^/]*-lock\.ya?ml|go\.sum|bun\.lockb?|[^/]*\.(?:map|svg|snap|min\.js|min\.css|ipynb|wasm|png|jpe?g|gif|ico|pdf|woff2?|ttf|zip|gz|tgz|jar|so|dll|exe|mp[34]|webp))$/i;

/** Files in which private keys and made-up passwords are usual. */
export const FIXTURE =
  /(?:^|\/)(?:tests?|__tests__|testdata|specs?|e2e|fixtures?|__fixtures__|mocks?|__mocks__|examples?|samples?|docs?|testing|cypress)\/|[._-](?:test|spec)s?\.[a-z]+$|(?:^|[./])cases\.ya?ml$|(?:^|\/)test_[^/]*$|_test\.[a-z]+$|\.(?:md|mdx|rst|adoc)$|\.(?:example|sample|template|dist|tpl)$/i;

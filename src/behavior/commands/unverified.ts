import type { RunVariables } from "./line-variables.ts";
import type { CommandEffect } from "./programs/program-effects.ts";
import { programName } from "./programs/program-effects.ts";
import type { ShellRun } from "./shell/shell-line.ts";
import { NO_WORD } from "./shell/shell-word.ts";

/** Options with which a program no longer checks whom it talks to or what it gets. */
const OPTIONS =
  /^--(?:insecure(?:-[\w-]+)?|no-check-certificate|no-verify-ssl|no-verify-tls|skip-tls-verify|(?:tls-verify|strict-ssl|ssl-verify)[= ](?:false|0)|trusted-host(?:=.*)?|allow-unauthenticated|no-gpg-checks?|nogpgcheck|no-gpg-sign|disable-content-trust|trust-policy=?.*|ignore-certificate-errors)$/;
const VARIABLES =
  /^(?:(?:NODE_TLS_REJECT_UNAUTHORIZED|PYTHONHTTPSVERIFY|DOCKER_CONTENT_TRUST)=["']?0["']?|GIT_SSL_NO_VERIFY=["']?(?:1|true)["']?|GO(?:NOSUMDB|NOSUMCHECK|INSECURE|NOSUMVERIFY)=.+|GOFLAGS=.*-insecure.*|npm_config_strict_ssl=false)$/i;
/** `npm config set strict-ssl false`, `bundle config ssl_verify_mode 0` */
const SETTING = /\bconfig\b.* \S*(?:ssl|tls|verify)\S*[ =](?:false|0|none|off)\b/i;
/** Programs for which such words are text. Git's own settings are effects of their own. */
const PRINTS = /^(?:echo|printf|grep|rg|man|cat|sed|awk|jq)$/;
const OWN_MACHINE = /\blocalhost\b|\b127\.0\.0\.1\b|\[::1\]|\.(?:local|test)\b/;

/** A variable that switches off a check of certificates, signatures or checksums. */
export function switchesOffCheck(name: string, value: string): boolean {
  return VARIABLES.test(`${name}=${value}`);
}

/** A command that switches off a check of certificates, signatures or checksums. */
export function uncheckedSources(run: ShellRun, { isEmpty, telling }: RunVariables): readonly CommandEffect[] {
  if (run.words.length === 0 && isEmpty) return [];
  const texts = run.words.map(({ text }) => text);
  const name = programName(run.words[0] ?? NO_WORD);
  if (PRINTS.test(name)) return [];
  const isCurl = texts.some((text) => text === "curl" || text.endsWith("/curl"));
  const found =
    texts.find(
      (text, i) => text.startsWith("--") && (OPTIONS.test(text) || OPTIONS.test(`${text} ${texts[i + 1] ?? ""}`)),
    ) ??
    (isCurl ? texts.find((text) => /^-[a-zA-Z]*k[a-zA-Z]*$/.test(text)) : undefined) ??
    telling.filter(([key, value]) => switchesOffCheck(key, value)).map(([key, value]) => `${key}=${value}`)[0] ??
    (name !== "git" && texts.some((text) => /config/i.test(text)) && SETTING.test(texts.join(" "))
      ? texts.join(" ")
      : undefined);
  if (found === undefined || texts.some((text) => OWN_MACHINE.test(text))) return [];
  return [{ name: "network.unverified", args: { what: found }, sure: false }];
}

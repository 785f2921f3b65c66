/** Files that hold credentials by convention. Public keys, examples and lists of hosts are none. */
const SECRET_FILES = [
  String.raw`(?:^|\/)\.env(?:[*?]|\.(?!example|sample|template|dist|defaults?|schema|md)[\w*?.-]+)?$`,
  String.raw`(?:^|\/)\.ssh(?:\/(?!known_hosts|config$|authorized_keys|[^/]*\.pub$)[^/]*)?$`,
  String.raw`(?:^|\/)\.(?:aws|gnupg|kube|azure|password-store)(?:\/(?!config$).*|\/?)$|(?:^|\/)\.kube\/config$`,
  String.raw`(?:^|\/)\.docker\/config\.json$|(?:^|\/)\.config\/(?:gcloud|gh|op|rclone|hub)(?:\/.*)?$`,
  String.raw`(?:^|\/)\.(?:netrc|npmrc|pypirc|pgpass|my\.cnf|git-credentials|vault-token|htpasswd|(?:bash|zsh)_history)$`,
  String.raw`(?:^|\/)(?:id_(?:rsa|dsa|ecdsa|ed25519)|credentials|kubeconfig|_netrc)$`,
  String.raw`(?:^|\/)(?:credentials|secrets?|service-account[^/]*|[^/]*-credentials)\.(?:json|ya?ml|toml|env|txt|ini)$`,
  String.raw`\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk)$`,
  String.raw`^\/etc\/(?:shadow|sudoers)$|^\/proc\/(?:self|\d+|\*)\/environ$|(?:^|\/)wp-config\.php$|\.tfstate$`,
].join("|");
const SECRET_FILE = new RegExp(SECRET_FILES);

export function isSecretFile(path: string): boolean {
  return path.length < 500 && SECRET_FILE.test(path) && !/\s/.test(path);
}

/** Commands that print credentials: all variables, a secret by name, or a token. */
const PRINTS_SECRETS = [
  "(?:env|printenv|export(?: -p)?|declare -[px]+|set|history)",
  String.raw`printenv \S*(?:TOKEN|SECRET|PASS|KEY|CREDENTIAL)\S*`,
  "(?:gh|glab) auth (?:token|status .*(?:-t|--show-token).*)",
  String.raw`vault (?:kv get|read|print token|token create)\b.*`,
  String.raw`op (?:read|item get|get|document get)\b.*`,
  String.raw`aws .*\b(?:get-secret-value|batch-get-secret-value|export-credentials|get-session-token|assume-role|get-login-password|get-authorization-token)\b.*`,
  String.raw`aws .*\bget-parameters?(?:-by-path)? .*--with-decryption\b.*|aws configure get\b.*`,
  String.raw`(?:kubectl|oc|k) .*\bget (?:\S+ )*?secrets?(?:[/ ].*)?|(?:kubectl|oc) config view .*--raw.*`,
  String.raw`(?:kubectl|oc|docker|podman|ssh) .*\b(?:env|printenv)`,
  String.raw`gcloud .*\bprint-(?:access|identity)-token\b.*|gcloud secrets versions access\b.*`,
  String.raw`az (?:account get-access-token|keyvault secret (?:show|download))\b.*`,
  String.raw`security (?:find-(?:generic|internet)-password|dump-keychain|export)\b.*|secret-tool (?:lookup|search)\b.*`,
  String.raw`(?:pass|gopass)(?: show)? [\w./-]+|lpass show\b.*|bw (?:get|export|list)\b.*|keyring get\b.*|chamber (?:read|export)\b.*`,
  String.raw`(?:doppler|infisical) (?:secrets|export|run)\b.*|heroku config(?:\b.*)?|docker config inspect\b.*|vercel env pull\b.*`,
  String.raw`(?:sops (?:-d|--decrypt|decrypt)|ansible-vault (?:view|decrypt)|git credential fill|gpg .*--export-secret-(?:sub)?keys?)\b.*`,
].join("|");
const PRINTS = new RegExp(`^(?:${PRINTS_SECRETS})$`);

/** Whether a command, as plain text, prints credentials. */
export function printsSecret(command: string): boolean {
  return command.length < 500 && PRINTS.test(command);
}

const MAX_TEXT = 20_000;

/** The secret that the text of a script names: a file, or a command that prints one. */
export function secretIn(script: string): string | undefined {
  if (script.length > MAX_TEXT) return undefined;
  const commands = script.split(/[|;&()`\n]+|\$\(/).map((one) => one.replace(/["'$]/g, "").trim());
  return (
    commands.find(printsSecret) ?? script.split(/[\s"'`()<>|;&,=@]+/).find((word) => word !== "" && isSecretFile(word))
  );
}

/** Code that talks to the network, and code that reads all variables. */
const SENDS =
  /urlopen|requests\.\w+\(|httpx\.|\bfetch\(|https?\.(?:request|get|post)|axios|HTTP::Tiny|LWP|Net::HTTP|URI\.open|open-uri|file_get_contents\(\s*["']https?|curl_|socket|smtplib|fsockopen|stream_context|TCPSocket|create_connection|sendmail|HttpClient|net\.connect/i;
const ALL_VARIABLES =
  /\bos\.environ\b(?!\s*[[.]|\s*\.get)|\benviron\.(?:items|copy)\(|JSON\.stringify\(\s*process\.env\s*[,)]|body\s*:\s*process\.env\b|%ENV\b|\bENV\.(?:to_h|to_a|inspect|map|each)|\$_ENV\b(?!\[)|getenv\(\s*\)|Deno\.env\.toObject/;

/** The secret that code sends away. */
export function secretSentByCode(code: string): string | undefined {
  if (!SENDS.test(code)) return undefined;
  if (ALL_VARIABLES.test(code)) return "all variables";
  return [...code.matchAll(/["'`]([^"'`\n]{0,200})["'`]/g)].map(([, text = ""]) => text).find(isSecretFile);
}

import { dirname, resolve } from "node:path";
import type { SecretSource } from "../../../base/words/hosting/agent.ts";
import type { GatewayConfig } from "../../../engine/agent/config/config-schema.ts";
import { type ConfigFault, ConfigSource } from "../../../engine/agent/config/config-source.ts";
import {
  type EmailConfig,
  WEBHOOK_TOPICS,
  type WebhookConfig,
  type WebhookTopic,
} from "../../../engine/agent/config/outgoing-schema.ts";
import { addressProblems, type Problem, readSecret } from "./load-servers.ts";

/** A webhook with its key. */
export type Webhook = {
  readonly kind: "webhook";
  readonly name: string;
  readonly url: string;
  readonly key: Uint8Array;
  readonly topics: readonly WebhookTopic[];
  readonly allowPrivate: boolean;
};

/** People who get e-mails, and the server that sends them. */
export type Mailbox = {
  readonly kind: "email";
  readonly name: string;
  readonly to: readonly string[];
  readonly from: string;
  readonly topics: readonly WebhookTopic[];
  /** With its user and password. */
  readonly server: string;
};

/** Where events are sent. Names are unique among all receivers. */
export type Receiver = Webhook | Mailbox;

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;
const [LEAST_BYTES, MOST_BYTES] = [24, 64];
const MAKE_SECRET = 'make one: echo "whsec_$(openssl rand -base64 32)"';

/** Reads the webhooks and e-mails of conduct.yaml and their secrets. `folder`: files are relative to it. */
export function readReceivers(
  { webhooks = {}, emails = {} }: Pick<GatewayConfig, "webhooks" | "emails">,
  folder: string,
  env: NodeJS.ProcessEnv,
): { readonly receivers: readonly Receiver[]; readonly problems: readonly Problem[] } {
  const read: { readonly receivers: readonly Receiver[]; readonly problems: readonly Problem[] }[] = [
    ...Object.entries(webhooks).map(([name, config]) => readWebhook(name, config, folder, env)),
    ...Object.entries(emails).map(([name, config]) => readEmail(name, config, Object.hasOwn(webhooks, name), env)),
  ];
  return { receivers: read.flatMap(({ receivers }) => receivers), problems: read.flatMap(({ problems }) => problems) };
}

function readEmail(name: string, config: EmailConfig, isTaken: boolean, env: NodeJS.ProcessEnv) {
  const { to, from, events = ["digests"] } = config;
  const server = env.CONDUCT_SMTP_URL?.trim() ?? "";
  const problems: Problem[] = [];
  if (isTaken)
    problems.push({ at: [], message: "this name is already used by a webhook", hint: "choose another name" });
  const hint = "set CONDUCT_SMTP_URL to smtps://USER:PASSWORD@SERVER in the gateway's environment";
  if (server === "") problems.push({ at: [], message: "CONDUCT_SMTP_URL is not set", hint });
  else if (!/^smtps?:\/\/\S+$/.test(server) || !URL.canParse(server))
    problems.push({ at: [], message: "CONDUCT_SMTP_URL is not an address of a mail server", hint });
  const receivers: Receiver[] = problems.length > 0 ? [] : [{ kind: "email", name, to, from, topics: events, server }];
  return { receivers, problems: problems.map(({ at, ...rest }) => ({ at: ["emails", name, ...at], ...rest })) };
}

function readWebhook(name: string, config: WebhookConfig, folder: string, env: NodeJS.ProcessEnv) {
  const { url, events = WEBHOOK_TOPICS, allowPrivate = false } = config;
  const problems: Problem[] = [...addressProblems({ url, allowPrivate })];
  if (problems.length === 0 && url.startsWith("http:") && !allowPrivate)
    problems.push({
      at: ["url"],
      message: "the address is not encrypted",
      hint: "use https://, or add allowPrivate: true if it is in your own network",
    });
  const key = keyOf(readSecret(inFolder(config.secret, folder), env));
  if ("message" in key) problems.push({ at: ["secret"], ...key });
  const receivers: Receiver[] =
    "key" in key ? [{ kind: "webhook", name, url, topics: events, allowPrivate, key: key.key }] : [];
  return { receivers, problems: problems.map(({ at, ...rest }) => ({ at: ["webhooks", name, ...at], ...rest })) };
}

function inFolder(given: WebhookConfig["secret"], folder: string): SecretSource {
  return given.file === undefined ? { env: given.env ?? "" } : { file: resolve(folder, given.file) };
}

function keyOf(
  read: ReturnType<typeof readSecret>,
): { readonly key: Uint8Array } | { readonly message: string; readonly hint: string } {
  if (!("value" in read)) return read;
  const [, written] = SECRET.exec(read.value.trim()) ?? [];
  if (written === undefined) return { message: "the secret is not whsec_ followed by base64", hint: MAKE_SECRET };
  const key = Buffer.from(written, "base64");
  if (key.byteLength >= LEAST_BYTES && key.byteLength <= MOST_BYTES) return { key };
  const size = `the secret has ${key.byteLength} bytes; it needs ${LEAST_BYTES} to ${MOST_BYTES}`;
  return { message: size, hint: MAKE_SECRET };
}

/** Faults of the outgoing channels on this machine: missing secrets, and addresses that are not allowed. */
export function outgoingFaults(
  {
    text,
    texts,
    files,
    parsed,
  }: {
    readonly text: string;
    readonly texts: ReadonlyMap<string, string>;
    readonly files: ReadonlyMap<string, string>;
    readonly parsed: { readonly gateway: GatewayConfig };
  },
  env: NodeJS.ProcessEnv,
): readonly ConfigFault[] {
  const [file = ""] = files.keys();
  const { problems } = readReceivers(parsed.gateway, dirname(file), env);
  if (problems.length === 0) return [];
  const [shown = ""] = texts.keys();
  const source = new ConfigSource(text, shown);
  return problems.map(({ at: [kind = "", name = "", ...rest], message, hint }) =>
    source.locate({
      path: ["gateway", kind, name, ...rest],
      message: `${kind === "emails" ? "e-mail" : "webhook"} '${name}': ${message}`,
      hint,
    }),
  );
}

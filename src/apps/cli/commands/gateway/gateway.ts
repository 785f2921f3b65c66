import { homedir } from "node:os";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { redactSecrets } from "../../../../base/kernel/redact-secrets.ts";
import { conductVersion } from "../../../../edge/host/node/package-files.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import { StoreError } from "../../../../edge/stores/sql/store-error.ts";
import type { ServerStatus } from "../../../gateway/mcp/hosted-servers.ts";
import { ConfigError, type Started, startGateway } from "../../../gateway/start-gateway.ts";
import { plural, printableLine } from "../../../shared/printable.ts";
import type { GatewayArgs } from "../../declared/setup-commands.ts";
import { renderFaults } from "../../line/file-faults.ts";
import { done, failed, missingPackage, type Outcome } from "../../line/outcome.ts";
import type { Paint, Terminal } from "../../line/terminal.ts";
import { failure } from "../../stores/with-contract.ts";

const PORT = 4870;
/** A shorter secret could be guessed. */
const LEAST_TOKEN = 24;
const DEMO = "demo/habits";
/** A gateway that failed, or lost its store, exits within 5 s. */
const CLOSE_MS = 4_000;
const LINGER_MS = 500;
/** Running turns get 10 s, or 25 s on a shared store, and requests in progress 5 s more. */
const GRACEFUL_MS = 30_000;

/**
 * `conduct gateway [--port N] [--host H] [--url U] [--origin O]`: runs until it is stopped. `conduct gateway login`: a
 * new link. `conduct gateway replicas`: the gateways on this store.
 */
export async function gateway(args: GatewayArgs, terminal: Terminal): Promise<Outcome> {
  const demo = process.env.CONDUCT_DEMO;
  if (demo) {
    if (demo !== "day") return failed("BAD_DEMO", `'${demo}' is not a demo`, "set CONDUCT_DEMO=day, or unset it");
    if (args.config !== undefined)
      return failed("BAD_DEMO", "the demo day has its own conduct.yaml", "omit --config, or unset CONDUCT_DEMO");
    (await import("../../../gateway/demo/day/demo-day.ts")).enterDemoDay(process.env, Date.now());
  }
  if (args.what === "login") return (await import("./gateway-login.ts")).runGatewayLogin(args, terminal, process.env);
  if (args.what === "replicas") return (await import("./gateway-replicas.ts")).runGatewayReplicas(process.env);
  if (args.what !== "start") {
    const fix = "conduct gateway, conduct gateway login, or conduct gateway replicas";
    return failed("UNKNOWN_COMMAND", `unknown command '${args.what}'`, fix);
  }
  const ended = new Promise<string>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve(signal));
  });
  const outcome = await runGateway(args, terminal, process.env, ended);
  // A timer or socket that is still open must not keep a stopped gateway alive.
  setTimeout(() => process.exit(outcome.ok ? 0 : 1), LINGER_MS).unref();
  return outcome;
}

/** `ended` resolves when the gateway is asked to stop, also during its start. */
export async function runGateway(
  args: Partial<GatewayArgs>,
  terminal: Terminal,
  env: NodeJS.ProcessEnv,
  ended: Promise<string>,
): Promise<Outcome> {
  const { host } = args;
  const asked = portOf(args.port ?? env.CONDUCT_PORT);
  if (asked === undefined)
    return failed("BAD_PORT", `'${args.port ?? env.CONDUCT_PORT}' is not a port`, "give a number from 0 to 65535");
  if (env.CONDUCT_TOKEN && env.CONDUCT_TOKEN.length < LEAST_TOKEN)
    return failed(
      "TOKEN_SHORT",
      `CONDUCT_TOKEN has fewer than ${LEAST_TOKEN} characters`,
      "use a longer secret: openssl rand -hex 24",
    );
  if (host !== undefined && !isLoopback(host) && !env.CONDUCT_TOKEN)
    return failed(
      "TOKEN_NEEDED",
      `other machines can reach the gateway at ${host}, but no token is set`,
      "set CONDUCT_TOKEN to a long secret, or omit --host",
    );
  const reached = reachedAt(args, env);
  if ("fault" in reached)
    return failed("BAD_URL", reached.fault, "write it as https://conduct.example.org, without a path");
  // Log lines contain text from others: one line, no control characters, no secrets.
  const report = (line: string) =>
    terminal.error(`conduct: ${printableLine(redactSecrets(line, () => "[redacted]"))}\n`);
  const starting = new AbortController();
  const start = startGateway({
    home: conductHome(env),
    env,
    port: asked,
    report,
    signal: starting.signal,
    host,
    config: args.config === undefined ? undefined : resolve(terminal.cwd, args.config),
    ...reached,
    isDemo: Boolean(env.CONDUCT_DEMO),
  });
  const first = await Promise.race([settled(start), ended]);
  if (typeof first === "string") {
    if (!terminal.json) terminal.out("\n  stopping before the start has finished\n");
    starting.abort();
    await within(
      CLOSE_MS,
      settled(start).then((late) => late.started?.close(0)),
      report,
    );
    return done({ ended: true }, "");
  }
  if (first.started === undefined) return notStarted(first.error, asked, terminal);
  return serveUntil(first.started, ended, terminal, report);
}

type Settled = { readonly started: Started } | { readonly started?: undefined; readonly error: unknown };

async function settled(start: Promise<Started>): Promise<Settled> {
  return start.then(
    (started) => ({ started }),
    (error: unknown) => ({ error }),
  );
}

async function serveUntil(
  started: Started,
  ended: Promise<string>,
  terminal: Terminal,
  report: (line: string) => void,
): Promise<Outcome> {
  const { gateway: running, loginLink, config, store, agents, contract, sandbox, mcp, governance } = started;
  const { recovered } = running;
  const about = { config, store, agents, contract, sandbox, mcp, governance, recovered };
  const facts = { url: running.url, login: loginLink, ...about };
  if (terminal.json) terminal.out(`${JSON.stringify({ event: "started", ...facts })}\n`);
  else terminal.out(renderStarted(started, terminal));
  const why = await Promise.race([ended, started.lost]);
  if (typeof why !== "string") {
    report(`THIS GATEWAY STOPS: ${why.message}`);
    await within(CLOSE_MS, started.close(0), report);
    return failure(why);
  }
  if (!terminal.json) terminal.out("\n  stopping: running turns finish first\n");
  await within(GRACEFUL_MS, started.close(), report);
  return done({ ended: true }, "");
}

/** Waits for a graceful shutdown, but at most `ms`. */
async function within(ms: number, closing: Promise<unknown>, report: (line: string) => void): Promise<void> {
  const late = sleep(ms, "late" as const, { ref: false });
  const first = await Promise.race([closing.catch((error: unknown) => report(errorText(error))), late]);
  if (first === "late") report(`the gateway did not close within ${ms / 1_000} s; exiting anyway`);
}

const ORIGIN = /^https?:\/\/[^\s/?#@]+$/;

/** The public address and the allowed origins, from the command line or the environment. */
function reachedAt(
  args: Partial<GatewayArgs>,
  env: NodeJS.ProcessEnv,
): { url?: string; origins?: string[] } | { fault: string } {
  const url = (args.url ?? env.CONDUCT_URL ?? "").replace(/\/$/, "") || undefined;
  const origins = (args.origin ?? env.CONDUCT_ORIGINS ?? "")
    .split(",")
    .map((one) => one.trim().replace(/\/$/, ""))
    .filter((one) => one !== "");
  const wrong = [url ?? [], origins].flat().find((one) => !ORIGIN.test(one) || !URL.canParse(one));
  if (wrong !== undefined) return { fault: `'${wrong}' is not a public address` };
  return { url, origins: origins.length === 0 ? undefined : origins };
}

function notStarted(error: unknown, port: number, { paint }: Terminal): Outcome {
  if (error instanceof ConfigError) {
    const { faults } = error;
    const text = `\n${renderFaults(faults, error.texts, "fault", paint)}\n  ${paint("red", `✗ ${error.message}`)}\n\n`;
    const failure = failed("CONFIG_INVALID", error.message, "correct these lines and start again", { text });
    return { ...failure, result: { faults } };
  }
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE")
    return failed(
      "PORT_TAKEN",
      `port ${port} is in use`,
      "stop the program that uses it, or choose another port: --port 0 picks a free one",
    );
  if (error instanceof StoreError) return failure(error);
  const missing = missingPackage(error);
  if (missing !== undefined) return missing;
  return failed("NOT_STARTED", errorText(error), "correct it, then start again: conduct gateway");
}

function portOf(given: string | undefined): number | undefined {
  if (given === undefined || given === "") return PORT;
  const port = Number(given);
  return Number.isInteger(port) && port >= 0 && port < 65_536 ? port : undefined;
}

function isLoopback(host: string): boolean {
  return host === "127.0.0.1" || host === "::1" || host === "localhost";
}

function describeServer(status: ServerStatus, paint: Paint): string {
  const name = `${status.agent}: ${status.server}`;
  if ("tools" in status) return `${name}, ${plural(status.tools, "tool")}`;
  return paint("red", printableLine(`${name} is not available: ${status.why}`));
}

function renderStarted(
  {
    gateway: { recovered, telegram, hasSlack },
    loginLink,
    config,
    store,
    agents,
    contract,
    sandbox,
    mcp,
    governance,
    isDemo,
  }: Started,
  { paint, invocation }: Terminal,
): string {
  const models = [...new Set(agents.map(({ model }) => model))];
  const model = models.includes(DEMO) ? "demo (no key set: deterministic, for trying things out)" : models.join(", ");
  const inForce = contract.directives === 0 ? "empty" : `${contract.directives} in force`;
  const rows: readonly (readonly [string, string | false | undefined])[] = [
    ["demo", isDemo && "sample data of one day; your own store is not used"],
    ["config", config?.replace(homedir(), "~") ?? "built in (no conduct.yaml found)"],
    ["store", store.replace(homedir(), "~")],
    ["model", model],
    ["agents", agents.map(({ name }) => name).join(", ")],
    ["contract", governance.ok ? `v${contract.version}, ${inForce}` : paint("red", governance.reason)],
    ["telegram", telegram() && "connecting; its state is reported below"],
    ["slack", hasSlack && "connecting; its state is reported below"],
    ["sandbox", sandbox],
    ...mcp.map((server) => ["mcp", describeServer(server, paint)] as const),
    [
      "resumed",
      recovered.interrupted + recovered.requeued > 0 &&
        `${recovered.requeued} waiting, ${recovered.interrupted} interrupted (not repeated)`,
    ],
  ];
  const head = `\n  ${paint("bold", `Conduct ${conductVersion()}`)} · behavior control plane for LLM agents\n`;
  const row = (name: string, text: string) => `  ${paint("dim", name.padEnd(9))}${text}`;
  const lines = rows.flatMap(([name, text]) => (text ? [row(name, text)] : []));
  const tries = [
    row("open", paint("cyan", loginLink)),
    `  ${" ".repeat(9)}one-time link, signs you in as operator`,
    // In the demo, a command would change the contract of the user's own store.
    row(
      "try",
      isDemo
        ? "answer the question on Home, or say something to an agent in the chat"
        : `say "deploy it" in the chat, then: ${invocation} behavior add "STOP: long status reports"`,
    ),
    row("end", "Ctrl-C"),
  ];
  return `${head}\n${lines.join("\n")}\n\n${tries.join("\n")}\n\n`;
}

import { homedir } from "node:os";
import { errorText } from "../../base/kernel/error-text.ts";
import { conductHome } from "../../edge/host/conduct-home.ts";
import { ConfigError, type Started, startGateway } from "../gateway/start-gateway.ts";
import type { Arguments, CommandBody } from "./command.ts";
import type { Outcome } from "./outcome.ts";
import { renderFaults } from "./render-faults.ts";
import type { Terminal } from "./terminal.ts";
import { version } from "./version.ts";

const PORT = 4870;
/** A shorter secret could be guessed. */
const LEAST_TOKEN = 24;
const DEMO = "demo/habits";

/** `conduct gateway [--port N] [--host H]`: runs until it is told to end. */
export const gateway: CommandBody = async (args, terminal) => {
  const ended = new Promise<string>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve(signal));
  });
  return runGateway(args, terminal, process.env, ended);
};

export async function runGateway(
  args: Arguments,
  terminal: Terminal,
  env: NodeJS.ProcessEnv,
  ended: Promise<string>,
): Promise<Outcome> {
  const asked = portOf(args.port ?? env.CONDUCT_PORT);
  if (asked === undefined)
    return refused("BAD_PORT", `'${args.port ?? env.CONDUCT_PORT}' is no port`, "give a number from 0 to 65535");
  const host = typeof args.host === "string" ? args.host : undefined;
  if (env.CONDUCT_TOKEN && env.CONDUCT_TOKEN.length < LEAST_TOKEN)
    return refused(
      "TOKEN_SHORT",
      `CONDUCT_TOKEN has fewer than ${LEAST_TOKEN} characters`,
      "take a longer secret: openssl rand -hex 24",
    );
  if (host !== undefined && !isLoopback(host) && !env.CONDUCT_TOKEN)
    return refused(
      "TOKEN_NEEDED",
      `others could reach the gateway at ${host}, and there is no token`,
      "set CONDUCT_TOKEN to a long secret, or leave --host out",
    );
  let started: Started;
  try {
    started = await startGateway({
      home: conductHome(env),
      env,
      port: asked,
      report: (line) => terminal.error(`conduct: ${line}\n`),
      ...(host === undefined ? {} : { host }),
    });
  } catch (error) {
    return failed(error, asked, terminal);
  }
  const { gateway: running, loginLink, store, agents, contract } = started;
  const facts = { url: running.url, login: loginLink, store, agents, contract, recovered: running.recovered };
  if (terminal.json) terminal.out(`${JSON.stringify({ event: "started", ...facts })}\n`);
  else terminal.out(renderStarted(started, terminal));
  await ended;
  if (!terminal.json) terminal.out("\n  ending: running turns are finished first\n");
  await started.close();
  return { ok: true, result: { ended: true }, text: "", next: [] };
}

function failed(error: unknown, port: number, { paint }: Terminal): Outcome {
  if (error instanceof ConfigError) {
    return {
      ...refused("CONFIG_INVALID", error.message, "correct these lines and start again"),
      text: `\n${renderFaults(error.faults, error.texts, "fault", paint)}\n  ${paint("red", `✗ ${error.message}`)}\n\n`,
    };
  }
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE")
    return refused(
      "PORT_TAKEN",
      `port ${port} is taken`,
      "end what uses it, or choose another: --port 0 takes a free one",
    );
  return refused("NOT_STARTED", errorText(error), "mend that and start again");
}

function refused(code: string, message: string, fix: string): Extract<Outcome, { ok: false }> {
  return { ok: false, code, message, fix, next: [] };
}

function portOf(given: unknown): number | undefined {
  if (given === undefined || given === "") return PORT;
  const port = Number(given);
  return Number.isInteger(port) && port >= 0 && port < 65_536 ? port : undefined;
}

function isLoopback(host: string): boolean {
  return host === "127.0.0.1" || host === "::1" || host === "localhost";
}

function renderStarted(
  { gateway: { recovered }, loginLink, store, agents, contract }: Started,
  { paint, invocation }: Terminal,
): string {
  const models = [...new Set(agents.map(({ model }) => model))];
  const model = models.includes(DEMO) ? "demo (no key set: deterministic, for trying things out)" : models.join(", ");
  const inForce = contract.directives === 0 ? "empty" : `${contract.directives} in force`;
  const rows: readonly (readonly [string, string])[] = [
    ["store", store.replace(homedir(), "~")],
    ["model", model],
    ["agents", agents.map(({ name }) => name).join(", ")],
    ["contract", `v${contract.version}, ${inForce}`],
    ...(recovered.interrupted + recovered.requeued === 0
      ? []
      : ([["resumed", `${recovered.requeued} waiting, ${recovered.interrupted} interrupted (not repeated)`]] as const)),
  ];
  const head = `\n  ${paint("bold", `Conduct ${version()}`)} · behavior control plane for LLM agents\n`;
  const lines = rows.map(([name, text]) => `  ${paint("dim", name.padEnd(9))}${text}`);
  const tries = [
    `  ${paint("dim", "open".padEnd(9))}${paint("cyan", loginLink)}`,
    `  ${" ".repeat(9)}one-time link, signs you in as operator`,
    `  ${paint("dim", "try".padEnd(9))}say "deploy it" in the chat, then: ${invocation} behavior add "STOP: long status reports"`,
    `  ${paint("dim", "end".padEnd(9))}Ctrl-C`,
  ];
  return `${head}\n${lines.join("\n")}\n\n${tries.join("\n")}\n\n`;
}

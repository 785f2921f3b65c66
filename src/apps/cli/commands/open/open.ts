import { spawn } from "node:child_process";
import { nearest } from "../../../../base/kernel/nearest.ts";
import { allDirectives } from "../../../../behavior/contract/contract-state.ts";
import { type PersonAtTerminal, personAtTerminal } from "../../../../edge/host/switch/person-at-terminal.ts";
import { type AgentAround, insideAgent } from "../../../../edge/host/trust/inside-agent.ts";
import type { SqlStore } from "../../../../edge/stores/sql/sql-store.ts";
import { openApprovals } from "../../../shared/open-approvals.ts";
import { clip, oneLine } from "../../../shared/printable.ts";
import type { OpenArgs } from "../../declared/observe-commands.ts";
import type { Arguments } from "../../line/command.ts";
import { done, failed, type Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { type GovernanceWorld, thisMachine, withContract } from "../../stores/with-contract.ts";
import { findSession, type JournalWorld, processWorld, withStore } from "../../stores/with-store.ts";
import { findGateway, withLoginLink } from "../gateway/gateway-login.ts";
import { findEvent, findLast } from "../why/why.ts";

/** Dependencies of the commands that lead to the console; replaced in tests. */
export type OpenWorld = JournalWorld & {
  readonly governance: GovernanceWorld;
  inside(): AgentAround | undefined;
  look(): PersonAtTerminal;
  /** False if no browser could be started. */
  browse(url: string): Promise<boolean>;
};

function openWorld(): OpenWorld {
  const world = processWorld();
  return {
    ...world,
    governance: thisMachine(),
    inside: () => insideAgent(),
    look: personAtTerminal,
    browse: (url) => browse(url, world.env),
  };
}

/** `conduct open [ID] [--print]` */
export async function open(args: OpenArgs, terminal: Terminal, world: OpenWorld = openWorld()): Promise<Outcome> {
  const show = shower(terminal, world, args.print !== true);
  return args.id === undefined ? show("/") : withPageOf(args.id, world, show);
}

/** A command with `--web`: opens the page that shows the same as the command. */
export async function openPage(
  path: readonly string[],
  args: Arguments,
  terminal: Terminal,
  world: OpenWorld = openWorld(),
): Promise<Outcome> {
  const show = shower(terminal, world, true);
  const { id, session, agent, channel, user } = args;
  const inStore = (use: (store: SqlStore) => Promise<string | undefined>, other: string) =>
    withStore(
      world,
      async (store) => show((await use(store)) ?? other),
      () => show(other),
    );
  switch (path.join(" ")) {
    case "why":
      if (id !== "last") return withPageOf(String(id), world, show);
      return inStore(
        async ({ events }) => {
          const found = await findLast(events);
          return found?.kind === "found" ? whyPage(found.events[0].event.id) : undefined;
        },
        pageWith("/sessions", { denied: true }),
      );
    case "watch":
      if (session !== undefined) return withPageOf(String(session), world, show);
      return show(pageWith("/sessions", { agent, denied: args.denied, text: args.search }));
    case "approvals":
      return inStore(async (store) => {
        const [first] = await openApprovals(store, world.now());
        return first === undefined ? undefined : sessionPage(first.session);
      }, "/sessions");
    case "prompt show":
      return inStore(
        async ({ events }) => {
          const named = session === "last" ? undefined : await findSession(events, String(session));
          const newest = (await events.sessions({ limit: 50 })).sessions.find(({ prompts }) => prompts > 0)?.session;
          const found = named === undefined ? newest : "session" in named ? named.session : undefined;
          return found === undefined ? undefined : pageWith("/prompt", { session: found, turn: args.turn });
        },
        pageWith("/prompt", { tab: "past" }),
      );
    case "replay":
      return show(pageWith("/replay", { session, agent, contract: args.contract }));
    case "rules list":
      return show("/rules");
    case "review list":
      return show(pageWith("/inbox", {}));
    case "behavior diff":
      return show(pageWith("/contract", { tab: "history", from: args.from, to: args.to }));
    default:
      if (id !== undefined) return withPageOf(String(id), world, show);
      return show(pageWith("/contract", { agent, channel, user, version: args.version, hash: args.hash }));
  }
}

const whyPage = (id: string) => `/why/${encodeURIComponent(id)}`;
const sessionPage = (id: string) => `/sessions/${encodeURIComponent(id)}`;

function pageWith(path: string, query: Arguments): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== false);
  const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === "" ? path : `${path}?${text}`;
}

type Show = (page: string) => Promise<Outcome>;

/** Finds the page of an id: of an event first, then of a part of the contract. */
function withPageOf(given: string, world: OpenWorld, show: Show): Promise<Outcome> {
  const id = given.trim();
  return withStore(
    world,
    async ({ events }) => {
      const event = await findEvent(events, id);
      if (event.kind === "found") return show(whyPage(id));
      const session = await findSession(events, id);
      if ("session" in session) return show(sessionPage(session.session));
      const agents = (await events.agents()).map(({ agent }) => agent);
      if (agents.includes(id)) return show(`/agents/${encodeURIComponent(id)}`);
      return inContract(id, world, show, [...event.near, ...session.near]);
    },
    () => inContract(id, world, show, []),
  );
}

function inContract(id: string, world: OpenWorld, show: Show, near: readonly string[]): Promise<Outcome> {
  return withContract(world.governance, "read", async ({ service }) => {
    const { candidates, rules, ...state } = await service.state();
    const directives = allDirectives({ candidates, rules, ...state }).map((one) => String(one.id));
    if (directives.includes(id)) return show(pageWith("/contract", { directive: id }));
    if (candidates.get(id) !== undefined) return show(pageWith("/inbox", { candidate: id }));
    if (rules.get(id) !== undefined) return show(pageWith("/rules", { rule: id }));
    const names = [...directives, ...[...candidates].map(([one]) => one), ...[...rules].map(([one]) => one)];
    const [meant = nearest(id, names)] = near;
    const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
    const fix = meant === undefined ? "conduct open" : `conduct open ${meant}`;
    const next = [{ command: fix, description: "Open this instead" }];
    return failed("NOT_FOUND", `nothing with the id '${clip(oneLine(id), 60)}' is stored${hint}`, fix, { next });
  });
}

/** Prints the address of a page, and opens a browser for a person at a terminal. */
function shower(terminal: Terminal, world: OpenWorld, wantsBrowser: boolean): Show {
  return async (page) => {
    const { env } = world;
    const running = await findGateway(env);
    if ("ok" in running) return running;
    const url = `${running.url}${page}`;
    const { paint } = terminal;
    const head = `\n  ${paint("cyan", url)}\n`;
    // Only a person may sign in: an agent, or a program without a terminal, gets the address alone.
    if (world.inside() !== undefined || world.look().kind !== "person")
      return done({ url, opened: false }, `${head}\n`);
    // The one-time code is not given to the browser: other accounts can read the arguments of its process.
    const opened = wantsBrowser && terminal.tty && !terminal.json && (await world.browse(url));
    const how = opened ? "Opened in your browser. If it asks you to sign in, open this link instead" : "To sign in";
    return withLoginLink(env, running, { to: page }, (login) =>
      done({ url, login, opened }, `${head}  ${how} (works once, 15 minutes):\n  ${paint("cyan", login)}\n\n`),
    );
  };
}

/** `$BROWSER`, else the desktop's own. Without a desktop there is none. */
function browse(url: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const desktop = process.platform === "darwin" ? "open" : env.DISPLAY || env.WAYLAND_DISPLAY ? "xdg-open" : undefined;
  const program = env.BROWSER?.split(":")[0] || desktop;
  if (program === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn(program, [url], { detached: true, stdio: "ignore" });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}

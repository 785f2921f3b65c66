import { errorText } from "../../../../base/kernel/error-text.ts";
import { daemonPlace } from "../../../../edge/host/daemon/daemon-place.ts";
import { NoDaemonError, sendHook } from "../../../../edge/host/daemon/hook-socket-client.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import type { SqlStore } from "../../../../edge/stores/sql/sql-store.ts";
import type { Answered, AnswerRequest, ElevateRequest, TagRequest } from "../../../daemon/requests.ts";
import { type AlwaysAllowed, alwaysAllowed } from "../../../shared/always-allowed.ts";
import { type OpenApproval, openApprovals } from "../../../shared/open-approvals.ts";
import { hang, oneLine } from "../../../shared/printable.ts";
import type { ApproveArgs, DenyArgs } from "../../declared/observe-commands.ts";
import { badArgument, done, failed, type Outcome, refuseAgent } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { type GovernanceWorld, thisMachine } from "../../stores/with-contract.ts";
import { commandOf, type JournalWorld, momentIn, nearestOf, processWorld, withStore } from "../../stores/with-store.ts";
import { renderApproval, WHERE } from "./approvals.ts";

export type AnswerWorld = JournalWorld &
  Pick<GovernanceWorld, "inside" | "by"> & {
    /** Sends the answer to the process that runs the session. */
    send(request: AnswerRequest): Promise<unknown>;
  };

/** The reason is shown to the model; longer texts belong in a message. */
const MAX_REASON = 1_000;
const SEND_MS = 10_000;
const SHORTEST = 4;
const LIST = { command: "conduct approvals", description: "List what waits for approval" };

type AnswerArgs = Pick<DenyArgs, "id"> & Partial<Pick<DenyArgs, "reason"> & Pick<ApproveArgs, "always">>;

/** `conduct approve ID [--always]` */
export const approve = answerCommand("yes");

/** `conduct deny ID [--reason TEXT]` */
export const deny = answerCommand("no");

/** Sends a person's answer to the session: a yes allows one such call, a no applies to the whole session. */
function answerCommand(answer: "yes" | "no") {
  return async (args: AnswerArgs, terminal: Terminal, world: AnswerWorld = answerWorld()): Promise<Outcome> => {
    const does = answer === "yes" ? "approve" : "deny";
    const around = await world.inside();
    if (around !== undefined) return refuseAgent(around, "only a person can approve or deny calls");
    const { id: given = "", reason, always } = args;
    if (given === "") return badArgument(`no approval given: 'conduct approvals' lists them`, `conduct ${does} ID`);
    if (reason !== undefined && reason.length > MAX_REASON) {
      return badArgument(`--reason has ${reason.length} characters; the limit is ${MAX_REASON}`, "shorten it");
    }
    return withStore(
      world,
      async (store) => {
        const open = await openApprovals(store, world.now());
        const one = chosen(open, given);
        const begun = open.filter(({ approval }) => approval.startsWith(given));
        if (one === undefined && begun.length > 1) return ambiguous(given, begun, does, terminal);
        if (one === undefined) {
          const granted = answer === "no" ? chosen(await alwaysAllowed(store, world.now()), given) : undefined;
          return granted === undefined ? notOpen(store, open, given, world) : revoke(granted, terminal, world);
        }
        if (one.at !== "daemon") {
          const fix = one.at === "gateway" ? "answer it in the gateway" : "answer it where the agent runs";
          return failed("NOT_HERE", `${one.approval}: ${WHERE[one.at]}`, fix, { result: one });
        }
        const { approval, session } = one;
        const word = {
          session,
          approval,
          answer: always === true ? "always" : answer,
          by: await world.by(),
          reason,
        } as const;
        try {
          const { kind } = (await world.send({ answers: word })) as Answered;
          if (kind !== "answered") return lost(kind, one);
          return answered(word, one, terminal, world);
        } catch (error) {
          const fix = `wait a moment, then run it again: ${commandOf(does, approval)}`;
          return failed("ANSWER_FAILED", errorText(error), fix, { result: one, next: [LIST] });
        }
      },
      (where) =>
        failed("NOT_FOUND", `${where} has no events yet, so no call waits for approval`, LIST.command, {
          next: [LIST],
        }),
    );
  };
}

function answerWorld(): AnswerWorld {
  const { inside, by } = thisMachine();
  return { ...processWorld(), inside, by, send: (request) => sendAnswer(conductHome(), request) };
}

/** Sends to the daemon if one runs; otherwise this process opens the session for the time of the answer. */
export async function sendAnswer(home: string, request: AnswerRequest | ElevateRequest | TagRequest): Promise<unknown> {
  try {
    return await sendHook(daemonPlace(home).socket, request, SEND_MS);
  } catch (error) {
    if (!(error instanceof NoDaemonError)) throw error;
    const { answerAlone } = await import("../hook/alone.ts");
    return answerAlone(home, request);
  }
}

/** Finds an approval by its id, or by a prefix that is unique. */
function chosen<T extends { readonly approval: string }>(open: readonly T[], given: string): T | undefined {
  const exact = open.find(({ approval }) => approval === given);
  if (exact !== undefined || given.length < SHORTEST) return exact;
  const begun = open.filter(({ approval }) => approval.startsWith(given));
  return begun.length === 1 ? begun[0] : undefined;
}

/** Several questions begin like this: lists them, so that a person can choose. */
function ambiguous(given: string, begun: readonly OpenApproval[], does: string, { paint, columns }: Terminal): Outcome {
  const rows = begun.flatMap(({ approval, tool, input, question }) => {
    const what = typeof input.command === "string" ? input.command : `${tool}: ${question.split("\n")[0]}`;
    return hang(`    ${paint("bold", approval)}  `, oneLine(what), columns);
  });
  const message = `${begun.length} questions begin with '${oneLine(given)}'`;
  const text = `\n${rows.join("\n")}\n`;
  const fix = `give the whole id: ${commandOf(does, begun[0]?.approval ?? "ID")}`;
  return failed("AMBIGUOUS", message, fix, { text, result: { candidates: begun }, next: [LIST] });
}

function answered(
  word: AnswerRequest["answers"],
  one: OpenApproval,
  terminal: Terminal,
  { now, zone }: AnswerWorld,
): Outcome {
  const { paint } = terminal;
  const until = momentIn(zone, now())(one.expiresAt);
  const [mark, what] =
    word.answer === "always"
      ? [
          paint("green", "✓ always approved"),
          `the same effect on the same files is allowed for the rest of this session\nto end that: ${terminal.invocation} deny ${one.approval}`,
        ]
      : word.answer === "yes"
        ? [
            paint("green", "✓ approved"),
            `a waiting call runs now; otherwise one identical call is allowed until ${until}`,
          ]
        : [
            paint("red", "✗ denied"),
            "the same call, and the same on these files, is denied for the rest of this session",
          ];
  const [, ...about] = renderApproval(one, terminal, now());
  const head = `  ${mark} ${paint("bold", one.approval)}  ${oneLine(one.tool)}`;
  const lines = ["", head, ...about, "", ...hang("  ", what, terminal.columns), "", ""];
  const next = [{ command: commandOf("why", one.decision), description: "Show the question and who answered" }, LIST];
  return done({ ...one, ...word }, lines.join("\n"), next);
}

/** Ends an "always": from now on the rule asks again. */
async function revoke(one: AlwaysAllowed, { paint, columns }: Terminal, world: AnswerWorld): Promise<Outcome> {
  const { approval, session } = one;
  if (one.at !== "daemon") {
    return failed("NOT_HERE", `${approval}: ${WHERE.gateway}`, "answer it in the gateway", { result: one });
  }
  const { kind } = (await world.send({
    answers: { session, approval, answer: "no", by: await world.by() },
  })) as Answered;
  if (kind !== "answered") return lost(kind, one);
  const lines = [
    "",
    `  ${paint("red", "✗ ended")} ${paint("bold", approval)}  ${oneLine(one.tool)}`,
    ...hang("    ", one.question.split("\n")[0] ?? "", columns),
    "",
    "  It was always allowed in this session. From now on the agent has to ask again.",
  ];
  return done({ ...one, answer: "no" }, [...lines, "", ""].join("\n"), [LIST]);
}

/** The approval was open a moment ago. */
function lost(
  kind: Exclude<Answered["kind"], "answered">,
  { approval, session }: Pick<OpenApproval, "approval" | "session">,
): Outcome {
  const message = {
    "not-here": `the session ${session} has ended, so no call waits any more`,
    unknown: `${approval} was used or dropped in the meantime`,
    expired: `${approval} has expired`,
    used: `${approval} was answered by somebody else in the meantime`,
    once: `${approval}: this rule asks every time, so --always is not possible`,
  }[kind];
  if (kind === "once") return failed("NOT_POSSIBLE", message, commandOf("approve", approval));
  return failed("NOT_OPEN", message, LIST.command, { next: [LIST] });
}

/** Explains why an approval cannot be answered: already answered, expired or unknown. */
async function notOpen(
  { events: journal }: SqlStore,
  open: readonly OpenApproval[],
  given: string,
  { now, zone }: AnswerWorld,
): Promise<Outcome> {
  const shown = oneLine(given);
  const wrong = (code: string, message: string): Outcome => failed(code, message, LIST.command, { next: [LIST] });
  const timeOf = momentIn(zone, now());
  const known = (await journal.findDecision(given)).map(({ event }) => event);
  const word = known.findLast((event) => event.type === "approval");
  if (word?.type === "approval")
    return wrong("NOT_OPEN", `${shown} was answered with ${word.answer} by ${word.by} at ${timeOf(word.at)}`);
  const asked = known.findLast((event) => event.type === "call");
  if (asked?.type === "call" && asked.decision.kind === "ask" && asked.decision.approval === given) {
    const { expiresAt } = asked.decision;
    const over =
      expiresAt <= now() ? `expired at ${timeOf(expiresAt)}; the agent has to ask again` : "is no longer open";
    return wrong("NOT_OPEN", `${shown} ${over}`);
  }
  const ids = open.map(({ approval }) => approval);
  const begun = ids.filter((id) => given.length >= SHORTEST && id.startsWith(given));
  const near = begun.length > 0 ? begun : nearestOf(given, ids);
  const hint = near.length > 0 ? `; near: ${near.join(", ")}` : ids.length > 0 ? `; open: ${ids.join(", ")}` : "";
  return wrong("NOT_FOUND", `no question '${shown}' waits for an answer${hint}`);
}

import type { BuiltPrompt } from "../../../../base/words/prompt.ts";
import { findPrompt, type PastPrompt, readPrompt } from "../../../shared/past-prompt.ts";
import { oneLine, plural } from "../../../shared/printable.ts";
import type { PromptShowArgs } from "../../declared/develop-commands.ts";
import { badArgument, done, failed, type Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import {
  findSession,
  type JournalWorld,
  processWorld,
  sessionName,
  TRY_INIT,
  withStore,
} from "../../stores/with-store.ts";
import { renderLeftOut, renderPrompt, renderSections } from "./render.ts";

const GONE = "(this text has expired)";

export async function promptShow(
  args: PromptShowArgs,
  terminal: Terminal,
  world: JournalWorld = processWorld(),
): Promise<Outcome> {
  const turn = args.turn === undefined ? undefined : Number(args.turn);
  if (turn !== undefined && (!Number.isSafeInteger(turn) || turn < 0))
    return badArgument(`'${args.turn}' is not a turn`, "give a number, such as --turn=3");
  const { session: given } = args;
  return withStore(
    world,
    async ({ events }) => {
      const newest = given === "last" ? (await events.sessions({ limit: 1 })).sessions[0] : undefined;
      const found = newest ?? (await findSession(events, given));
      if (!("session" in found)) {
        const near =
          found.near.length === 0 ? "find its id with: conduct watch --once" : `did you mean: ${found.near.join(", ")}`;
        return badArgument(`there is no session '${given}'`, near, "NO_SESSION");
      }
      const event = await findPrompt(events, found.session, turn);
      if (event === undefined) {
        const when = turn === undefined ? "" : ` in turn ${turn}`;
        return badArgument(
          `session '${found.session}' has no prompt${when}`,
          "show its events: conduct watch --once",
          "NO_PROMPT",
        );
      }
      const prompt = await readPrompt(events, event);
      const summary = await events.session(found.session);
      return done(prompt, render(prompt, sessionName(summary ?? prompt), terminal));
    },
    (where) =>
      failed("NO_SESSION", `there is no session '${given}': ${where} has no events yet`, TRY_INIT.command, {
        next: [TRY_INIT],
      }),
  );
}

function render(prompt: PastPrompt, session: string, terminal: Terminal): string {
  const { paint } = terminal;
  const built = asBuilt(prompt);
  const left = renderLeftOut({ trace: prompt.left ?? [], cuts: prompt.cuts, faults: [] }, terminal);
  const exact = prompt.exact ? "exact, byte for byte" : "without redacted secrets and expired texts";
  const head = [session, `turn ${prompt.turn}`, new Date(prompt.at).toISOString(), exact].map(oneLine).join(" · ");
  return [
    "",
    `  ${head}`,
    "",
    renderPrompt(built, terminal),
    renderSections(built, terminal),
    `  ${plural(built.sections.length, "section")} · ${plural(built.tokens, "token")}`,
    `  ${paint("dim", `hash ${prompt.hash} · prefix ${prompt.prefixHash}`)}`,
    "",
    ...(left === "" ? [] : [left]),
    "",
  ].join("\n");
}

/** Old events lack source and zone: the agent is the source, and the end of the cached part gives the zone. */
function asBuilt({
  text = "",
  sections,
  tokens,
  hash,
  prefixHash,
  prefixTokens,
  cuts,
  left = [],
}: PastPrompt): BuiltPrompt {
  const built = sections.map((one) => ({
    contributor: one.contributor,
    source: one.source ?? ("agent" as const),
    zone: one.zone ?? (one.cached ? ("static" as const) : ("turn" as const)),
    priority: 100,
    text: one.text ?? GONE,
    tokens: one.tokens,
    hash: one.hash,
    lines: one.lines ?? { from: 0, to: 0 },
  }));
  return { text, sections: built, provenance: [], tokens, hash, prefixHash, prefixTokens, cuts, trace: left };
}

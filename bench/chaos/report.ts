import type { Fault, History, PromiseName, Violation } from "./records.ts";

/** Examples of each broken promise that are printed. */
const MOST_SHOWN = 8;

const PROMISES: { readonly [P in PromiseName]: string } = {
  "side-effect-once": "no side effect happens twice",
  "turn-once": "no turn is begun twice",
  "no-effect-after-end": "no side effect after the person was told the end",
  "one-end": "a turn has one end",
  "nothing-lost": "no acknowledged message is lost",
  order: "the order of a conversation is kept, one turn at a time",
  transcript: "a turn knows the complete turns before it",
  reported: "an interrupted turn is reported within 10 s",
  accepted: "messages are accepted",
  "prompt-start": "a waiting turn begins within 10 s",
  "no-fault-no-failure": "a turn that no fault touched does not fail",
  "directive-in-force": "a directive is in force everywhere within 1 s",
};

/** Counts, then each promise with its violations. */
export function renderResult(
  history: History,
  violations: readonly Violation[],
  { began, reconnects }: { readonly began: number; readonly reconnects: number },
): string {
  const { sent, seen, model, tools, directives, faults } = history;
  const acked = sent.filter(({ ackedAt }) => ackedAt !== undefined).length;
  const lines = [
    "",
    `  messages    ${sent.length} sent, ${acked} acknowledged, ${sent.length - acked} not`,
    `  ends        ${counts(seen.map(({ status }) => status))}; ${counts(seen.map(({ via }) => via))}`,
    `  model       ${model.length} requests: ${counts(model.map(({ replica }) => replica))}`,
    `  tool        ${tools.length} side effects`,
    `  directives  ${directives.length} acknowledged`,
    `  streams     ${reconnects} reconnects`,
    `  faults      ${counts(faults.map(({ kind }) => kind)) || "none"}`,
    `  takeover    ${takeovers(history)}`,
    "",
  ];
  for (const [promise, title] of Object.entries(PROMISES)) {
    const broken = violations.filter((one) => one.promise === promise);
    lines.push(
      `  ${broken.length === 0 ? "kept  " : "BROKEN"}  ${title}${broken.length === 0 ? "" : `: ${broken.length}`}`,
    );
    for (const { at, text } of broken.slice(0, MOST_SHOWN))
      lines.push(`            ${((at - began) / 1_000).toFixed(1)} s: ${text}`);
    if (broken.length > MOST_SHOWN) lines.push(`            and ${broken.length - MOST_SHOWN} more`);
  }
  lines.push("", violations.length === 0 ? "  every promise was kept" : `  ${violations.length} violations`);
  return lines.join("\n");
}

/** From a kill to the report of each turn that it interrupted. */
function takeovers({ faults, seen, model }: History): string {
  const owners = new Map(model.map(({ message, replica }) => [message, replica]));
  const times = seen.flatMap(({ message, status, at }) => {
    if (status !== "interrupted") return [];
    const stops = faults.filter((fault) => fault.at <= at && fault.replica === owners.get(message) && isStop(fault));
    const last = stops.toSorted((a, b) => b.at - a.at)[0];
    return last === undefined ? [] : [at - last.at];
  });
  if (times.length === 0) return "no interrupted turn to measure";
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => ((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) / 1_000).toFixed(1);
  return `${times.length} interrupted turns reported, p50 ${at(0.5)} s, p99 ${at(0.99)} s, longest ${at(1)} s after the fault`;
}

function isStop({ kind }: Fault): boolean {
  return kind === "kill" || kind === "freeze" || kind === "cut";
}

function counts(words: readonly string[]): string {
  const groups = [...Map.groupBy(words, (word) => word)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return groups.map(([word, all]) => `${all.length} ${word}`).join(", ");
}

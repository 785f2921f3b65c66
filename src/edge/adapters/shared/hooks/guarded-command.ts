/** Part of every command that we register, to recognise ours among others in the same file. */
const MARK = "The Conduct hook did not answer";

export function isConductHook(command: unknown): boolean {
  return typeof command === "string" && command.includes(MARK);
}

/** What happens when Conduct's command fails: exit 2 blocks the event, exit 1 only reports it, `print` is the answer. */
export type OnFailure = "block" | "tell" | { readonly print: (text: string) => string };

/**
 * A missing, crashed or hanging command would let the call run, so every command is wrapped. Runs in `sh`, not in the
 * person's shell. Without `timeout`, the command's own time limit applies. Exit 3: the command has already printed
 * the reason. `passes` is a command that succeeds while the runtime is in shadow mode, where a failure blocks nothing.
 */
export function guarded(command: string, seconds: number, failure: OnFailure, passes?: string): string {
  const pass = passes === undefined ? "" : `{ ${passes}; } && exit 0; `;
  const script = [
    "t=$(command -v timeout || command -v gtimeout)",
    `out=$(\${t:+$t ${seconds}} ${command}) && printf %s "$out" || { rc=$?; ${pass}${failed(failure)}; }`,
  ].join("; ");
  return `sh -c ${quoted(script)}`;
}

function failed(failure: OnFailure): string {
  if (typeof failure === "object") {
    const fix = "A person can find the cause with: conduct doctor";
    return `printf %s ${quoted(failure.print(`${MARK}; blocked to be safe. ${fix}`))}`;
  }
  const means = failure === "block" ? "blocked to be safe" : "this event was not seen";
  const say = `[ $rc -eq 3 ] || echo "${MARK} (exit $rc); ${means}." >&2`;
  return `[ $rc -eq 2 ] && exit 2; ${say}; exit ${failure === "block" ? 2 : 1}`;
}

function quoted(script: string): string {
  return `'${script.replaceAll("'", `'\\''`)}'`;
}

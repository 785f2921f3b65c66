import { powershellAnswer, powershellExit, powershellGuard } from "./powershell-guard.ts";

/** Part of every command that we register, to recognise ours among others in the same file. */
const MARK = "The Conduct hook did not answer";
const FAILED = `${MARK}; blocked to be safe. A person can find the cause with: conduct doctor`;

export function isConductHook(command: unknown): boolean {
  return typeof command === "string" && command.includes(MARK);
}

/**
 * What happens when Conduct's command fails: exit 2 blocks the event, exit 1 only reports it, `print` is the answer.
 * `silent` is the answer where the runtime takes an empty one for a failure.
 */
export type OnFailure =
  | "block"
  | "tell"
  | { readonly print: (text: string) => string; readonly silent?: string | undefined };

/** The shell for which a hook's command is written. */
export type HookShell = "sh" | "powershell";

/** How a runtime starts Conduct's hook: a command for `shell`, and a condition under which a failure blocks nothing. */
export type HookCommand = { readonly command: string; readonly passes?: string; readonly shell?: HookShell };

/**
 * A missing, crashed or hanging command would let the call run, so every command is wrapped. Runs in `sh`, not in the
 * person's shell. Without `timeout`, the command's own time limit applies. Exit 3: the command has already printed
 * the reason. `passes` is a command that succeeds while the runtime is in shadow mode, where a failure blocks nothing.
 */
export function guarded(
  command: string,
  seconds: number,
  failure: OnFailure,
  passes?: string,
  shell: HookShell = "sh",
): string {
  if (shell === "powershell") return powershellGuard(command, failedInPowershell(failure), passes);
  const silent = typeof failure === "object" ? failure.silent : undefined;
  const [empty, out, mark] =
    silent === undefined ? ["", "$out", ""] : [' && printf %s "$e"', `\${out:-$e}`, ` # ${MARK}`];
  const pass = passes === undefined ? "" : `{ ${passes}; }${empty} && exit 0; `;
  const script = [
    ...(silent === undefined ? [] : [`e=${quoted(silent)}`]),
    "t=$(command -v timeout || command -v gtimeout)",
    `out=$(\${t:+$t ${seconds}} ${command}) && printf %s "${out}" || { rc=$?; ${pass}${failed(failure)}; }${mark}`,
  ].join("; ");
  return `sh -c ${quoted(script)}`;
}

function failed(failure: OnFailure): string {
  if (typeof failure === "object") return `printf %s ${quoted(failure.print(FAILED))}`;
  const say = `[ $rc -eq 3 ] || echo "${MARK} (exit $rc); ${meaning(failure)}." >&2`;
  return `[ $rc -eq 2 ] && exit 2; ${say}; exit ${failure === "block" ? 2 : 1}`;
}

function failedInPowershell(failure: OnFailure): string {
  if (typeof failure === "object") return `${powershellAnswer(failure.print(FAILED))} # ${MARK}`;
  return powershellExit([`${MARK} (exit `, `); ${meaning(failure)}.`], failure === "block" ? 2 : 1);
}

function meaning(failure: "block" | "tell"): string {
  return failure === "block" ? "blocked to be safe" : "this event was not seen";
}

function quoted(script: string): string {
  return `'${script.replaceAll("'", `'\\''`)}'`;
}

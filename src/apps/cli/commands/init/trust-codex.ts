import { errorText } from "../../../../base/kernel/error-text.ts";
import { unwatchFiles, watchFiles } from "../../../daemon/hook-guard/known-setup.ts";
import { codexFolder } from "../../../install/codex.ts";
import { readRecord } from "../../../install/install-record.ts";
import { settleRecord } from "../../../install/plan.ts";
import { wrap } from "../../../shared/printable.ts";
import type { Paint, Terminal } from "../../line/terminal.ts";
import type { InitRequest, InitWorld } from "./init-world.ts";

/** The result of the step; `text` is shown to the person. */
export type TrustStep = { readonly kind: "trusted" | "open"; readonly text: string };

const AGAIN = "conduct init codex --trust";

/**
 * Codex silently skips an untrusted hook. Trusting one is a separate step with its own question: `--trust` answers it,
 * `--yes` does not. Returns `undefined` for runtimes without such a step.
 */
async function runTrustStep(
  { runtime, folder, args }: InitRequest,
  { json, cwd, paint, columns, invocation }: Terminal,
  world: InitWorld,
): Promise<TrustStep | undefined> {
  if (runtime.name !== "codex") return undefined;
  const again = AGAIN.replace("conduct", invocation);
  const open = (why: string): TrustStep => {
    const head = `  ${paint("amber", "! Codex does not trust Conduct's hooks yet")}, and silently skips them`;
    const rest = wrap(why, columns - 4).map((line) => `    ${line}`);
    return { kind: "open", text: `${[head, ...rest].join("\n")}\n` };
  };
  const program = world.find(runtime.program);
  if (program === undefined) return open(`codex is not on the PATH; install it, then run ${again}`);
  const codexHome = codexFolder(world.env);
  try {
    if ((await world.codexTrust(codexHome, cwd, program)).bound)
      return trustedAs(paint, "Codex trusts Conduct's hooks");
  } catch (error) {
    return open(errorText(error));
  }
  if (args.trust !== true) {
    const question = "  Let Codex trust Conduct's 11 hooks as they are? Otherwise Codex skips them. [y/N] ";
    const answer = json || args.yes === true ? undefined : await world.ask(question);
    if (answer !== true) return open(`run ${again}`);
  }
  try {
    const { bound, faults } = await world.trustCodex(codexHome, cwd, program);
    const record = await readRecord(folder);
    if (record !== undefined) await settleRecord(folder, record);
    if (!bound) return open(faults[0] ?? "Codex gave no reason");
    return trustedAs(paint, "Codex now trusts Conduct's hooks");
  } catch (error) {
    return open(errorText(error));
  }
}

function trustedAs(paint: Paint, what: string): TrustStep {
  return { kind: "trusted", text: `  ${paint("green", `✓ ${what}`)}, until one of them changes\n` };
}

/** Trusting writes to a watched file; changes by Conduct's own command are no tampering. */
export async function trustHooks(
  asked: InitRequest,
  terminal: Terminal,
  world: InitWorld,
): Promise<TrustStep | undefined> {
  const { folder, runtime, place } = asked;
  await unwatchFiles(folder, {
    runtime: runtime.name,
    project: place.project,
  });
  try {
    return await runTrustStep(asked, terminal, world);
  } finally {
    await watchFiles(folder, await readRecord(folder));
  }
}

import { errorText } from "../../base/kernel/error-text.ts";
import type { ContractService } from "../../engine/governance/contract-service.ts";
import { governanceHealth } from "../../engine/governance/governance-health.ts";

/** Entries may be changed on disk while the gateway runs, so all are verified this often. */
const AUDIT_MS = 15_000;

/** Reports a damaged governance journal once, and its repair once. */
export function watchGovernance(
  contracts: ContractService,
  report: (line: string) => void,
  auditMs = AUDIT_MS,
): { look(): Promise<void>; stop(): void } {
  let reported: string | undefined;
  let saidMissing = false;

  async function look(): Promise<void> {
    const health = await governanceHealth(contracts);
    const now = health.ok ? undefined : health.reason;
    if (now !== reported) report(now ?? "Governance journal repaired: rules and contract are in force again");
    reported = now;
    if (contracts.storedHead === "missing" && !saidMissing) {
      saidMissing = true;
      report("No head of the governance journal was stored outside the store: entries removed before now go unnoticed");
    }
  }

  async function audit(): Promise<void> {
    await contracts.audit().catch((error: unknown) => report(errorText(error)));
    await look();
  }

  const timer = setInterval(() => void audit(), auditMs);
  timer.unref();
  // Damage usually shows when the state changes.
  const leave = contracts.onChange(() => void look());
  return {
    look,
    stop() {
      clearInterval(timer);
      leave();
    },
  };
}

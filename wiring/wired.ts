import { it } from "vitest";

/** Whole programs on a machine that others use too. */
const PATIENT = Number(process.env.CONDUCT_PATIENCE_MS ?? 90_000) * 2;

/**
 * A test that starts the shipped program and looks at the far end of the settings that it names: keys of conduct.yaml
 * (`agents.*.soul`), environment variables (`CONDUCT_STORE`) or options (`conduct why --web`). `npm run wiring-page`
 * reads the names from the source, so they are literals.
 */
export function wired(_settings: string | readonly string[], title: string, test: () => Promise<void>): void {
  it(title, test, PATIENT);
}

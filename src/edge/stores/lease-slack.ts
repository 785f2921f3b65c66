/** Clocks of machines on one store may differ by as much. A lease that lasts longer still was made by a clock that was wrong. */
export const LEASE_SLACK_MS = 3_600_000;

import type { Usage } from "../../words/budget.ts";

/** A user's calendar day with one agent: `2026-03-06` in the user's time zone. An empty user is nobody in particular. */
export type UserDay = { readonly agent: string; readonly user: string; readonly day: string };

/** What was used on a day, shared by every process with the same store. Rejects if the store fails. */
export type DayUsageStore = {
  /** Adds atomically and returns the sum. Negative amounts give something back; zero only reads. */
  add(of: UserDay, amount: Usage): Promise<Usage>;
};

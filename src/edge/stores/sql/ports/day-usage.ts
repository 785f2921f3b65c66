import type { DayUsageStore } from "../../../../base/ports/stores/day-usage.ts";
import type { Usage } from "../../../../base/words/budget.ts";
import type { SqlDatabase } from "../tables.ts";
import { nameKey } from "../values.ts";

/** Days before today whose rows are kept. */
const KEPT_DAYS = 60;

/** Stores what users have used on a day, one row for each user, agent and day. */
export function sqlDayUsage(db: SqlDatabase): DayUsageStore {
  return {
    async add({ agent, user, day }, { inputTokens, outputTokens, calls, cost }) {
      const owner = nameKey(JSON.stringify([user, agent]));
      const row = await db
        .insertInto("conduct_day_usage")
        .values({ owner, day, input_tokens: inputTokens, output_tokens: outputTokens, calls, cost })
        .onConflict((conflict) =>
          conflict.columns(["owner", "day"]).doUpdateSet(({ eb, ref }) => ({
            input_tokens: eb("conduct_day_usage.input_tokens", "+", ref("excluded.input_tokens")),
            output_tokens: eb("conduct_day_usage.output_tokens", "+", ref("excluded.output_tokens")),
            calls: eb("conduct_day_usage.calls", "+", ref("excluded.calls")),
            cost: eb("conduct_day_usage.cost", "+", ref("excluded.cost")),
          })),
        )
        .returning(["input_tokens", "output_tokens", "calls", "cost"])
        .executeTakeFirstOrThrow();
      const sum: Usage = {
        inputTokens: Number(row.input_tokens),
        outputTokens: Number(row.output_tokens),
        calls: Number(row.calls),
        cost: Number(row.cost),
      };
      // Probably the first use of this day.
      if (sum.calls === calls && sum.inputTokens === inputTokens)
        await db.deleteFrom("conduct_day_usage").where("day", "<", daysBefore(day)).execute();
      return sum;
    },
  };
}

function daysBefore(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - KEPT_DAYS * 86_400_000).toISOString().slice(0, 10);
}

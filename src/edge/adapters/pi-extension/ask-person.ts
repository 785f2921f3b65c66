import type { Ask } from "../pi/decide.ts";
import type { PiContext } from "./native.ts";

const YES = "Yes, this once";
const NO = "No";
/** Longer than this a timer of JavaScript's cannot run. */
const MAX_TIMER_MS = 2_147_483_647;
/** More of a call's input than a person reads. */
const SHOWN = 2_000;

/** Puts questions to the person at Pi, while they are open. No answer is none, and not a no. */
export function askPerson({ ui, mode }: PiContext, now: () => number): Ask {
  return async ({ question, rule, input, expiresAt }, call, signal) => {
    const shown = JSON.stringify(input ?? call.args, null, 2);
    const cut = shown.length > SHOWN ? `${shown.slice(0, SHOWN)} … (${shown.length} characters)` : shown;
    const timeout = Math.min(Math.max(1, expiresAt - now()), MAX_TIMER_MS);
    const picked = await ui.select(`Conduct (${rule}): ${question}\n${call.tool} ${cut}`, [YES, NO], {
      timeout,
      ...(signal === undefined ? {} : { signal }),
    });
    if (picked !== YES && picked !== NO) return undefined;
    return { answer: picked === YES ? "yes" : "no", by: `the person at Pi (${mode})` };
  };
}

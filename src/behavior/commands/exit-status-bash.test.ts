import { expect, it } from "vitest";
import { lineEffects } from "./line-effects.ts";
import { type Ending, RecordingBash, type Trial } from "./test/recording-bash.ts";
import { ShellShapes } from "./test/shell-shapes.ts";

/** Every status of every program: `npm` may end differently each time, up to the third. */
function trialsOf(script: string): readonly Trial[] {
  const isRepeated = /\b(?:for|while|until)\b|\bf\b|\bg\b/.test(script);
  const runs = Math.min(3, (script.match(/\bnpm\b/g)?.length ?? 0) + (isRepeated ? 2 : 0));
  const plans = Array.from({ length: 2 ** runs }, (_, i) => i.toString(2).padStart(runs, "0"));
  const alphas = /\balpha\b|\brm\b/.test(script) ? [0, 1] : [0];
  const betas = /\bbeta\b/.test(script) ? [0, 1] : [0];
  return plans.flatMap((plan) => alphas.flatMap((alpha) => betas.map((beta) => ({ script, plan, alpha, beta }))));
}

/** Tests passed the last time they ran, and nothing was changed since. `only`: the tests with this letter. */
function passed(ran: string, only: string): boolean {
  const since = (ran.match(/../g) ?? []).slice(ran.lastIndexOf("x") / 2 + 1);
  return since.findLast(([name]) => name !== undefined && only.includes(name))?.[1] === "0";
}

/** The letters of the tests that the line is said to prove; of `tc` one is enough. */
function claims(script: string): readonly string[] {
  return lineEffects(script)
    .filter(({ name, proven }) => name === "tests.run" && proven)
    .map(({ args }) => (args.target === "test:ci" ? "c" : "tc"));
}

function holds({ ok, ran }: Ending, claim: string): boolean {
  return !ok || passed(ran, claim) || (claim === "tc" && passed(ran, "t"));
}

const given = Number(process.env.CONDUCT_SCRIPTS ?? 0);
const SCRIPTS = given === 0 ? 400 : given;
/** So many scripts that prove nothing are run as well, to see how many could. */
const UNPROVEN = given / 10;

it.each([1, Math.floor(Math.random() * 2 ** 32)])(
  "EX-1 a real bash never ends with status 0 if a test that the line is said to prove did not pass last (seed %i)",
  async (seed) => {
    using bash = new RecordingBash();
    const shapes = new ShellShapes(seed);
    const scripts = [...new Set(Array.from({ length: SCRIPTS }, (_, i) => shapes.script(1 + (i % 6))))];
    const claimed = scripts.flatMap((script) => {
      const letters = claims(script);
      return letters.length === 0 ? [] : [{ script, letters }];
    });
    const others = scripts.filter((one) => /npm/.test(one) && claims(one).length === 0);
    const unproven = others.slice(0, UNPROVEN);
    const trials = [...claimed.map(({ script }) => script), ...unproven].flatMap(trialsOf);
    const endings: Ending[] = [];
    for (let i = 0; i < trials.length; i += 400) endings.push(...(await bash.run(trials.slice(i, i + 400))));
    const byScript = Map.groupBy(endings.keys(), (i) => trials[i]?.script ?? "");
    const endingsOf = (script: string) => (byScript.get(script) ?? []).flatMap((i) => endings[i] ?? []);
    const wrong = claimed.flatMap(({ script, letters }) =>
      (byScript.get(script) ?? []).flatMap((i) => {
        const ending = endings[i];
        const isWrong = ending !== undefined && letters.some((letter) => !holds(ending, letter));
        return isWrong ? [`${JSON.stringify(trials[i])} -> ${JSON.stringify(ending)}`] : [];
      }),
    );
    if (UNPROVEN > 0) {
      const missed = unproven.filter((script) => {
        const ends = endingsOf(script);
        return ends.some(({ ok }) => ok) && ends.every((end) => holds(end, "tc"));
      });
      const share = claimed.length / (claimed.length + (missed.length / Math.max(1, unproven.length)) * others.length);
      console.log(
        `${claimed.length} proven, ${trials.length} trials, ${endings.filter(({ hung }) => hung).length} hung`,
      );
      console.log(`complete: ${(share * 100).toFixed(1)} %\n${missed.slice(0, 30).join("\n")}`);
    }
    expect(wrong.slice(0, 10)).toEqual([]);
    expect(claimed.length).toBeGreaterThan(SCRIPTS / 25);
  },
  Math.max(120_000, SCRIPTS * 150),
);

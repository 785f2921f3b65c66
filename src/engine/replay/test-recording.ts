import type { CallInput, Outcome } from "../../base/words/call.ts";
import type { ConductEvent } from "../../base/words/event.ts";
import type { Part } from "../../base/words/result.ts";
import type { RuleSet } from "../../base/words/rule.ts";
import { ReadBeforeWritePolicy } from "../../behavior/policy/read-before-write-policy.ts";
import { RulesPolicy } from "../../behavior/policy/rules/rules-policy.ts";
import { SequentialDependencyPolicy } from "../../behavior/policy/sequential-dependency-policy.ts";
import type { Snapshot } from "../../behavior/session/snapshot.ts";
import { defineAgent } from "../agent/define-agent.ts";
import { redactWith } from "../journal/redact-event.ts";
import type { Session } from "../moments/session.ts";
import { testConduct } from "../moments/test-conduct.ts";
import type { Step } from "./test-steps.ts";

const PROTECTED = { paths: ["/w/secret"], spellings: [], programs: ["conduct"] };

export const agentsOf = (ruleSet: RuleSet) =>
  ["agent", "other"].map((name) =>
    defineAgent({
      name,
      actions: ruleSet.actions,
      tools: [{ name: "transfer", risk: "high" }],
      trustedTools: [{ tool: "ask_server" }],
      limits: { calls: 30 },
      policies: [
        new RulesPolicy(ruleSet),
        ...(name === "agent"
          ? [new ReadBeforeWritePolicy()]
          : [new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] }, rearmOnCompaction: true })]),
      ],
    }),
  );

/** Plays it all on the real engine and gives the events as the journal keeps them, session by session. */
export async function record(
  ruleSet: RuleSet,
  steps: readonly Step[],
  shadow: boolean,
): Promise<readonly (readonly ConductEvent[])[]> {
  let paused = false;
  const world = testConduct({}, { paused: () => paused, protected: PROTECTED });
  for (const agent of agentsOf(ruleSet)) world.conduct.setAgent(agent);
  world.files.set("/w/a", "one");
  const enforcement = shadow ? ("shadow" as const) : ("enforce" as const);
  const redact = redactWith(new Uint8Array(32).fill(7));
  const options = { id: "main", channel: "web", user: "ann", enforcement };
  let session: Session = world.open(options);
  let child: Session | undefined;
  let snapshot: Snapshot | undefined;
  let last: CallInput | undefined;
  const asked: string[] = [];
  let made = 0;

  const call = async (on: Session, input: Omit<CallInput, "id">, outcome: Outcome | "none", parts: readonly Part[]) => {
    made += 1;
    const one = { id: `c${made}`, ...input };
    last = one;
    const decision = await on.onCall(one);
    if (decision.kind === "ask") asked.push(decision.approval);
    if (decision.kind === "deny" || outcome === "none" || (decision.kind === "ask" && made % 2 === 0)) return;
    world.pass(made % 3);
    await on.onResult(one, { outcome, parts });
  };

  const play = async (step: Step): Promise<void> => {
    const on = child !== undefined && made % 4 === 0 ? child : session;
    switch (step.kind) {
      case "call": {
        const { tool, args, outcome, parts } = step;
        return call(
          on,
          {
            tool,
            args,
            ...(step.step === undefined ? {} : { step: step.step }),
            ...(step.cwd === undefined ? {} : { cwd: step.cwd }),
          },
          outcome,
          parts,
        );
      }
      case "batch":
        await Promise.all(
          step.calls.map((one) =>
            call(on, { ...one, step: `${step.step}-${made}` }, "ok", [{ kind: "text", text: "x" }]),
          ),
        );
        return;
      case "again":
        for (let time = 0; last !== undefined && time < step.times; time++) {
          const { id: _, step: __, ...same } = last;
          await call(on, same, "ok", [{ kind: "text", text: "the same" }]);
        }
        return;
      case "message":
        await session.onMessage({
          text: step.text,
          ...(step.role === undefined ? {} : { sender: { role: step.role } }),
        });
        return;
      case "modes":
        session.setModes(step.modes);
        return;
      case "answer":
        for (const approval of asked.splice(0)) {
          for (const one of [session, child]) {
            try {
              one?.resolve(approval, step.answer, "ann");
            } catch {
              // Of the other session, or expired.
            }
          }
        }
        if (last !== undefined) {
          const { id: _, ...same } = last;
          await call(on, same, "ok", []);
        }
        return;
      case "pass":
        world.pass(step.ms);
        return;
      case "file":
        if (step.content === null) world.files.delete(step.path);
        else world.files.set(step.path, step.content);
        return;
      case "pause":
        paused = step.on;
        return;
      case "plain":
        return plain(step.what);
    }
  };

  const handOver = (name: string) => Reflect.apply(session.useAgent, session, [name]);

  const plain = async (what: Extract<Step, { kind: "plain" }>["what"]): Promise<void> => {
    switch (what) {
      case "snapshot":
        snapshot = session.snapshot();
        return;
      case "restore":
        if (snapshot !== undefined) session.restore(snapshot);
        return;
      case "reset":
        if (!session.ended) session.reset();
        return;
      case "compacted":
        session.notice({ kind: "compacted" });
        return;
      case "prompt":
        // Not waited for: calls may come while it is being built.
        pending.push(session.onPrompt());
        return;
      case "stop":
        pending.push(session.onStop());
        return;
      case "step-closed":
        session.notice({ kind: "step-closed" });
        return;
      case "usage":
        session.notice({ kind: "usage", inputTokens: 10 });
        return;
      case "agent":
        handOver(session.agent === "agent" ? "other" : "agent");
        return;
      case "resume": {
        if (session.ended) return;
        await Promise.all(pending.splice(0));
        const text = session.serialise();
        if (made % 2 === 0) await call(session, { tool: "login", args: {} }, "ok", []);
        const { agent } = session;
        world.conduct.release("main");
        child = undefined;
        session = world.open({ ...options, agent, snapshot: text });
        return;
      }
      case "child":
        child ??= session.child(`child-${made}`);
        return;
      case "ended":
        child?.notice({ kind: "ended" });
        return;
      case "unreadable":
        if (last !== undefined) {
          made += 1;
          const one = { ...last, id: `c${made}` };
          const decision = await session.onCall(one);
          // An adapter that hands in nonsense.
          if (decision.kind === "allow") await session.onResult(one, { outcome: "ok" } as never);
        }
        return;
    }
  };

  const pending: Promise<unknown>[] = [];
  for (const step of steps) await play(step);
  await Promise.all(pending);
  await session.onMessage({ text: "the last one" });
  const kept = world.events.map((event) => JSON.parse(JSON.stringify(redact(event))) as ConductEvent);
  return [...Map.groupBy(kept, (event) => event.session).values()];
}

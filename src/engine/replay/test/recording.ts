import { canonicalJson } from "../../../base/kernel/canonical-json.ts";
import type { CallInput, Outcome } from "../../../base/words/call.ts";
import type { StandingRule } from "../../../base/words/contract.ts";
import type { Decision } from "../../../base/words/decision.ts";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { Part } from "../../../base/words/result.ts";
import type { RuleSet } from "../../../base/words/rule.ts";
import type { Snapshot } from "../../../behavior/session/snapshot/snapshot.ts";
import { testJournal } from "../../governance/test/test-journal.ts";
import { redactWith } from "../../journal/redact-event.ts";
import type { Session } from "../../session/session.ts";
import { testConduct } from "../../session/test/test-conduct.ts";
import { agentsOf, PLAIN, type Setting, standingTexts } from "./setting.ts";
import type { Step } from "./steps.ts";

const PROTECTED = { paths: ["/w/secret"], spellings: [], programs: ["conduct"] };

/** The journal's events by session, and the operator's rules. */
type Recorded = {
  readonly sessions: readonly (readonly ConductEvent[])[];
  readonly standing: readonly StandingRule[];
  /** The arguments of each allowed call, after rules rewrote them. */
  readonly args: ReadonlyMap<string, string>;
};

/**
 * The outcome of a call whose decision changed since the first recording; `undefined`: as recorded, or as the steps
 * say.
 */
export type Otherwise = (call: string, now: Decision, args: string) => Outcome | undefined;

export async function record(
  ruleSet: RuleSet,
  steps: readonly Step[],
  setting: Partial<Setting> = {},
  otherwise?: Otherwise,
): Promise<Recorded> {
  const under = { ...PLAIN, ...setting };
  const recording = new Recording(ruleSet, under, otherwise);
  await recording.harden(under);
  for (const step of steps) await recording.play(step);
  return recording.end();
}

class Recording {
  readonly #world;
  readonly #options;
  #paused = false;
  #session: Session;
  #child: Session | undefined;
  #snapshot: Snapshot | undefined;
  #last: CallInput | undefined;
  #made = 0;
  readonly #asked: string[] = [];
  readonly #args = new Map<string, string>();
  readonly #pending: Promise<unknown>[] = [];
  /** The open step: its name in the test and its id. */
  #step: { readonly name: string; readonly id: string } | undefined;

  readonly #otherwise: Otherwise | undefined;

  constructor(ruleSet: RuleSet, setting: Setting, otherwise: Otherwise | undefined) {
    this.#otherwise = otherwise;
    const governance = setting.standing.length === 0 ? {} : { governance: testJournal().journal };
    this.#world = testConduct({}, { paused: () => this.#paused, protected: PROTECTED, ...governance });
    for (const agent of agentsOf(ruleSet, setting)) this.#world.conduct.setAgent(agent);
    this.#world.files.set("/w/a", "one");
    const { channel, user, shadow, elevated } = setting;
    this.#options = {
      id: "main",
      channel,
      ...(user === undefined ? {} : { user }),
      ...(elevated ? { modes: { elevated } } : {}),
      enforcement: shadow ? ("shadow" as const) : ("enforce" as const),
    };
    this.#session = this.#world.open(this.#options);
  }

  async harden(setting: Setting): Promise<void> {
    const { contracts } = this.#world.conduct;
    for (const { enforced, ...one } of standingTexts(setting)) {
      const done = await contracts?.change({ kind: "harden", ...one }, "op");
      if (done?.kind !== "accepted") throw new Error(JSON.stringify(done));
      if (enforced) await contracts?.change({ kind: "enforce-rule", id: one.rule }, "op");
    }
  }

  async end(): Promise<Recorded> {
    await Promise.all(this.#pending);
    await this.#session.onMessage({ text: "the last one" });
    const redact = redactWith(new Uint8Array(32).fill(7));
    const kept = this.#world.events.map((event) => JSON.parse(JSON.stringify(redact(event))) as ConductEvent);
    const state = await this.#world.conduct.contracts?.state();
    return {
      sessions: [...Map.groupBy(kept, (event) => event.session).values()],
      standing: [...(state?.rules ?? [])].map(([, rule]) => rule),
      args: this.#args,
    };
  }

  async #call(on: Session, input: Omit<CallInput, "id">, outcome: Outcome | "none", parts: readonly Part[]) {
    this.#made += 1;
    const one = { id: `c${this.#made}`, ...input };
    this.#last = one;
    this.#world.pass(this.#made % 3);
    const decision = await on.onCall(one);
    const args = canonicalJson(decision.kind === "deny" ? one.args : (decision.input ?? one.args));
    this.#args.set(one.id, args);
    const other = decision.kind === "deny" ? undefined : this.#otherwise?.(one.id, decision, args);
    if (other !== undefined) {
      await on.onResult(one, { outcome: other, parts: [{ kind: "text", text: `never seen before ${one.id}` }] });
      return;
    }
    if (decision.kind === "ask") this.#asked.push(decision.approval);
    if (decision.kind === "deny" || outcome === "none" || (decision.kind === "ask" && this.#made % 2 === 0)) return;
    await on.onResult(one, { outcome, parts, ...(outcome === "failed" ? { exitCode: 1 } : {}) });
  }

  /** One name is one step until something ends it; `over` is a step that ended long ago. */
  #stepOf(name: string): string {
    if (name !== "over" && this.#step?.name !== name) this.#step = { name, id: `${name}-${this.#made}` };
    return name === "over" ? name : (this.#step?.id ?? name);
  }

  async play(step: Step): Promise<void> {
    const on = this.#child !== undefined && this.#made % 4 === 0 ? this.#child : this.#session;
    switch (step.kind) {
      case "call": {
        const { kind: _, outcome, parts, step: name, ...input } = step;
        if (name === undefined) this.#step = undefined;
        return this.#call(
          on,
          { ...input, ...(name === undefined ? {} : { step: this.#stepOf(name) }) },
          outcome,
          parts,
        );
      }
      case "batch": {
        this.#step = undefined;
        const id = `${step.step}-${this.#made}`;
        await Promise.all(
          step.calls.map((one) => this.#call(on, { ...one, step: id }, "ok", [{ kind: "text", text: "x" }])),
        );
        return;
      }
      case "again":
        this.#step = undefined;
        for (let time = 0; this.#last !== undefined && time < step.times; time++) {
          const { id: _, step: __, ...same } = this.#last;
          await this.#call(on, same, "ok", [{ kind: "text", text: "the same" }]);
        }
        return;
      case "message":
        this.#step = undefined;
        await this.#session.onMessage({
          text: step.text,
          ...(step.role === undefined ? {} : { sender: { role: step.role } }),
        });
        return;
      case "modes":
        this.#session.setModes(step.modes);
        return;
      case "answer":
        return this.#answer(on, step.answer);
      case "pass":
        this.#world.pass(step.ms);
        return;
      case "file":
        if (step.content === null) this.#world.files.delete(step.path);
        else this.#world.files.set(step.path, step.content);
        return;
      case "pause":
        this.#paused = step.on;
        return;
      case "plain":
        return this.#plain(step.what);
    }
  }

  async #answer(on: Session, answer: "yes" | "no"): Promise<void> {
    for (const approval of this.#asked.splice(0)) {
      for (const one of [this.#session, this.#child]) {
        try {
          one?.resolve(approval, answer, "ann");
        } catch {
          // The question belongs to the other session or has expired.
        }
      }
    }
    if (this.#last === undefined) return;
    this.#step = undefined;
    const { id: _, step: __, ...same } = this.#last;
    await this.#call(on, same, "ok", []);
  }

  async #plain(what: Extract<Step, { kind: "plain" }>["what"]): Promise<void> {
    const session = this.#session;
    this.#step = undefined;
    switch (what) {
      case "snapshot":
        this.#snapshot = session.snapshot();
        return;
      case "restore":
        if (this.#snapshot !== undefined) session.restore(this.#snapshot);
        return;
      case "reset":
        if (!session.ended) session.reset();
        return;
      case "compacted":
        session.notice({ kind: "compacted" });
        return;
      case "prompt":
        // Not awaited: calls may arrive while the prompt is built.
        this.#pending.push(session.onPrompt());
        return;
      case "stop":
        this.#pending.push(session.onStop());
        return;
      case "step-closed":
        session.notice({ kind: "step-closed" });
        return;
      case "usage":
        session.notice({ kind: "usage", inputTokens: 10 });
        return;
      case "custom":
        session.setCustom([`n${this.#made}`, "beta"]);
        return;
      case "directive":
        await session.onMessage({ text: `KEEP: answer in ${this.#made} lines`, sender: { role: "operator" } });
        return;
      case "agent":
        session.useAgent(session.agent === "agent" ? "other" : "agent");
        return;
      case "resume":
        return this.#resume();
      case "child":
        this.#child ??= session.child(`child-${this.#made}`, this.#made % 2 === 0 ? { agent: "other" } : {});
        return;
      case "ended":
        (this.#made % 5 === 0 ? session : this.#child)?.notice({ kind: "ended" });
        return;
      case "twice":
        return this.#twice();
      case "unreadable":
        return this.#unreadable();
    }
  }

  async #resume(): Promise<void> {
    if (this.#session.ended) return;
    await Promise.all(this.#pending.splice(0));
    const { agent } = this.#session;
    const text = this.#session.serialise();
    if (this.#made % 2 === 0) await this.#call(this.#session, { tool: "login", args: {} }, "ok", []);
    this.#world.conduct.sessions.release("main");
    this.#child = undefined;
    const elsewhere = this.#made % 3 === 0 ? { channel: "cli", modes: { elevated: this.#made % 2 === 0 } } : {};
    this.#session = this.#world.open({ ...this.#options, ...elsewhere, agent, snapshot: text });
  }

  /** A runtime that asks about one call twice, and one that chooses the id itself. */
  async #twice(): Promise<void> {
    this.#made += 1;
    const one = {
      id: `c${this.#made}`,
      tool: "shell",
      args: { command: "npm test" },
      native: { runtime: "r", name: "bash", input: {} },
      actions: ["login"],
      proves: this.#made % 2 === 0 ? ["login"] : [],
      paths: [{ path: this.#made % 3 === 0 ? "/other/x" : "a", access: "write" as const }],
      ...(this.#made % 4 === 0 ? { unclear: ["write" as const] } : {}),
    };
    await this.#session.onCall(one);
    const decision = await this.#session.onCall(one);
    if (decision.kind === "allow") await this.#session.onResult(one, { outcome: "ok", parts: [] });
  }

  /** An adapter that passes invalid input. */
  async #unreadable(): Promise<void> {
    if (this.#last === undefined) return;
    this.#made += 1;
    const { step: _, ...last } = this.#last;
    const one = { ...last, id: `c${this.#made}` };
    const decision = await this.#session.onCall(one);
    if (decision.kind === "allow") await this.#session.onResult(one, { outcome: "ok" } as never);
  }
}

import { errorText } from "../../base/kernel/error-text.ts";
import { asString } from "../../base/kernel/json.ts";
import type { Usage } from "../../base/words/budget.ts";
import type { Sender } from "../../base/words/channel.ts";
import type { ClassifyBecause, SessionClassification } from "../../base/words/classification.ts";
import type { Modes } from "../../base/words/modes.ts";
import { denialsSlice, NO_DENIALS } from "../../behavior/policy/escalation.ts";
import { applyModes } from "../../behavior/session/apply-modes.ts";
import {
  classificationSlice,
  classified,
  conversationOf,
  dueBecause,
  failed,
  noteMessage,
  wish,
} from "../../behavior/session/classification-state.ts";
import { classifyLocally } from "../../behavior/session/classify-locally.ts";
import { effectiveModes, modesSlice, safeModes } from "../../behavior/session/modes.ts";
import { type ParsedModes, parseModes } from "../../behavior/session/parse-modes.ts";
import { turnSlice } from "../../behavior/session/turn.ts";
import { classifyWithModel, resolveLabels } from "./classify.ts";
import type { LostState } from "./lost-state.ts";
import { type CapturedDirectives, SessionContract } from "./session-contract.ts";
import type { IncomingMessage } from "./session-options.ts";
import { resultsSlice } from "./shorten-result.ts";

/** How long a model may take to classify a conversation; nobody waits for it. */
const CLASSIFY_MS = 30_000;

/** A message as Conduct has understood it. */
export type Heard = {
  /** For the model: the message without the modes at its start. */
  readonly text: string;
  readonly modes: Modes;
  /** The whole answer: the message was for Conduct, and the model is not asked. */
  readonly reply?: string;
  /** For the person, beside the model's answer. */
  readonly notes: readonly string[];
};

/** The moment `message`: what did the person say? */
export class SessionMessages extends SessionContract {
  /** That it cannot be classified is said once. */
  #skipped = false;
  /** For the person, with the next message. */
  #owed: readonly string[] = [];
  #classifying: { readonly run: Promise<void>; readonly abort: AbortController } | undefined;

  /** A person has said something: a new turn begins, unless the message was for Conduct alone. */
  async onMessage(message: IncomingMessage): Promise<Heard> {
    const { id, sender = this.sender } = message;
    const text = asString(message.text);
    const watched = this.observing !== undefined;
    const parsed = watched ? { ...parseModes(""), text } : parseModes(text);
    const captured = await this.captureDirectives(parsed.text, id, sender);
    return this.clock.atOnce(() => this.#hear(message, parsed, captured));
  }

  /** The state that this session had was damaged: the operator hears it as a fault, the person with the next message. */
  tellLost({ why, note }: LostState): void {
    this.fault({ where: "session state", code: "state-damaged", message: why });
    if (note !== undefined) this.#owed = [...this.#owed, note];
  }

  #hear(message: IncomingMessage, parsed: ParsedModes, captured: CapturedDirectives): Heard {
    const { id, sender = this.sender } = message;
    const text = asString(message.text);
    const watched = this.observing !== undefined;
    const { elevation } = this.compiled.agent;
    // An elevation that rests while somebody else speaks is still there.
    const stored = effectiveModes(this.slices.get(modesSlice), this.clock.now(), elevation);
    const applied = applyModes(stored, parsed, {
      mayElevate: sender?.role === "operator",
      now: this.clock.now(),
      ...(elevation === undefined ? {} : { elevation }),
    });
    const { modes } = applied;
    const notes = [...this.#owed, ...applied.notes, ...captured.notes];
    this.#owed = [];
    const reply = watched ? undefined : (applied.reply ?? (captured.only ? "Noted." : undefined));
    this.slices = this.slices.with(modesSlice, modes);
    if (reply === undefined) this.beginTurn(parsed.text, sender);
    this.emit({
      type: "message",
      text,
      modes,
      ...(id === undefined ? {} : { messageId: id }),
      ...(sender === undefined ? {} : { sender }),
      ...(reply === undefined ? {} : { reply }),
      ...(notes.length === 0 ? {} : { notes }),
    });
    if (reply === undefined) this.#classifyWhenDue();
    return { text: parsed.text, modes: this.view.modes, notes, ...(reply === undefined ? {} : { reply }) };
  }

  /** Switches modes one by one; the others stay as they are. */
  setModes(modes: Partial<Modes>): Modes {
    const next = safeModes({ ...this.view.modes, ...modes });
    this.slices = this.slices.with(modesSlice, next);
    this.emit({ type: "session", change: "modes", detail: JSON.stringify(next) });
    return this.view.modes;
  }

  /** Looks at the conversation again, now. `undefined` when it could not be classified; a fault then says why. */
  async classify(): Promise<SessionClassification | undefined> {
    await this.#classifying?.run;
    const before = this.slices.get(classificationSlice).latest;
    this.#classify("demand");
    await this.#classifying?.run;
    const { latest } = this.slices.get(classificationSlice);
    return latest === before ? undefined : (latest ?? undefined);
  }

  /** What holds for the prompt; a session below another has that one's. */
  protected get classification(): SessionClassification | undefined {
    if (this.parent instanceof SessionMessages) return this.parent.classification;
    return this.slices.get(classificationSlice).held ?? undefined;
  }

  /** Waits for a classification under way, so that the first prompt can know it. */
  protected async awaitClassification(): Promise<void> {
    const { wait = 0 } = this.compiled.agent.sessionLabels ?? {};
    if (this.#classifying === undefined || wait === 0 || this.classification !== undefined) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const enough = new Promise<void>((resolve) => {
      // It is over by then; and a timer of more than 24 days would fire at once.
      timer = setTimeout(resolve, Math.min(wait, CLASSIFY_MS));
    });
    await Promise.race([this.#classifying.run, enough]);
    clearTimeout(timer);
  }

  /** The transcript was cut: what the conversation is about may have changed with it. */
  protected classifyAfterCompaction(): void {
    this.slices = this.slices.with(classificationSlice, wish(this.slices.get(classificationSlice), "compaction"));
    this.#classifyWhenDue();
  }

  /** An answer that is still to come belongs to what is over. */
  protected stopClassifying(): void {
    this.#classifying?.abort.abort();
    this.#classifying = undefined;
  }

  protected beginTurn(text: string, sender: Sender | undefined): void {
    this.forgetContract();
    this.settleUnderWay();
    this.closeStep(null);
    // Its definition may have been changed since.
    this.compiled = this.agentOf(this.agent);
    const { number, ended } = this.slices.get(turnSlice);
    this.slices = this.slices
      .with(turnSlice, { number: number + 1, refusals: 0, ended, ...(sender === undefined ? {} : { sender }) })
      .with(denialsSlice, NO_DENIALS)
      .with(resultsSlice, resultsSlice.initial)
      .with(classificationSlice, noteMessage(this.slices.get(classificationSlice), text));
  }

  #classifyWhenDue(): void {
    const { sessionLabels } = this.compiled.agent;
    // A subagent works on a part of what its parent's conversation is about.
    if (sessionLabels?.enabled !== true || this.parent !== undefined) return;
    const turn = this.slices.get(turnSlice).number;
    const because = dueBecause(this.slices.get(classificationSlice), turn, sessionLabels);
    if (because !== undefined) this.#classify(because);
  }

  #classify(because: ClassifyBecause): void {
    if (this.#classifying !== undefined) return;
    const labels = resolveLabels(this.compiled.agent.sessionLabels);
    const conversation = conversationOf(this.slices.get(classificationSlice));
    if (labels.kind === "off" || conversation.length === 0) return;
    if (labels.kind === "local") {
      this.#take(classifyLocally(conversation), "local/rules", because, {});
      return;
    }
    const { models } = this.ports;
    const over = this.ended ? "the session is over" : this.overLimit({}) && "the session has used up its budget";
    if (labels.kind === "skipped" || models === undefined || over !== undefined) {
      const message = labels.kind === "skipped" ? labels.warning : (over ?? "this host gives no access to models");
      if (!this.#skipped) this.#fail("classification-skipped", message, because);
      this.#skipped = true;
      return;
    }
    const { model } = labels;
    const abort = new AbortController();
    const asked = classifyWithModel(models, { model, conversation, signal: abort.signal, timeoutMs: CLASSIFY_MS });
    const run = asked.then((answer) => {
      if (abort.signal.aborted) return;
      this.#classifying = undefined;
      this.spend(`classification-${this.ports.ids.next("b")}`, answer.usage);
      if ("fault" in answer) this.#fail(answer.fault.code, answer.fault.message, because);
      else this.#take(answer.classification, model, because, answer.usage);
    });
    // Nobody may be waiting for it: what goes wrong here must not end the process.
    const told = run.catch((error: unknown) => this.#fail("classify-error", errorText(error), because));
    this.#classifying = { run: told, abort };
  }

  #take(classification: SessionClassification, model: string, because: ClassifyBecause, usage: Partial<Usage>): void {
    const turn = this.slices.get(turnSlice).number;
    const next = classified(this.slices.get(classificationSlice), classification, turn, because);
    this.slices = this.slices.with(classificationSlice, next);
    this.emit({ type: "classification", classification, held: next.held ?? classification, model, because, usage });
  }

  #fail(code: string, message: string, because: ClassifyBecause): void {
    const turn = this.slices.get(turnSlice).number;
    this.slices = this.slices.with(classificationSlice, failed(this.slices.get(classificationSlice), turn, because));
    this.fault({ where: "classification", code, message });
  }
}

import { errorText } from "../../base/kernel/error-text.ts";
import type { CallInput } from "../../base/words/call.ts";
import type { Sender } from "../../base/words/channel.ts";
import type { ActiveBehaviorContract, ContractView } from "../../base/words/contract.ts";
import type { Decision } from "../../base/words/decision.ts";
import { writeDirective } from "../../behavior/contract/directive-form.ts";
import { type ParsedDirective, parseDirectives } from "../../behavior/contract/parse-directives.ts";
import { renderContract } from "../../behavior/contract/render-contract.ts";
import { identitySlice } from "../../behavior/session/identity.ts";
import type { ContractService } from "../governance/contract-service.ts";
import { withUnreadableRules } from "../governance/standing-rules.ts";
import { GATHER_MS } from "./gather.ts";
import type { IncomingMessage } from "./session-options.ts";
import { SessionResults } from "./session-results.ts";
import { withinLimit } from "./within-limit.ts";

/** The contract of a turn. `degraded`: the store could not be read, and this is the last one known. */
type InForce = { readonly contract: ActiveBehaviorContract; readonly degraded: boolean };

/** Told in place of a contract that nobody could read, not now and not before. */
const UNREADABLE =
  "The operator's standing directives could not be read just now. Do nothing that cannot be undone without asking.";

/** What an operator's message has changed. `reply`: the message had nothing else to say, and this answers it. */
export type CapturedDirectives = { readonly notes: readonly string[]; readonly reply?: string };

/** What became of one directive, in words for its writer. */
type Added = { readonly inForce: boolean; readonly note: string };

/** The operator's contract in a session: captured from messages, and held for the length of a turn. */
export class SessionContract extends SessionResults {
  #inForce: InForce | "unreadable" | undefined;

  /** Takes up the directives of an operator's own message. Never rejects: what could not be kept is said. */
  protected async captureDirectives(
    text: string,
    { id, sender = this.sender, quotedLines }: Omit<IncomingMessage, "text">,
  ): Promise<CapturedDirectives> {
    const nothing = { notes: [] };
    if (this.ports.contracts === undefined || sender === undefined || this.parent !== undefined) return nothing;
    const { directives, faults, rest } = parseDirectives(text, quotedLines === undefined ? {} : { quotedLines });
    if (sender.role !== "operator") {
      for (const { line, ...directive } of directives) {
        const why = `sent by a ${sender.role}`;
        this.emit({ type: "directive", outcome: "not-operator", line, text: writeDirective(directive), why });
      }
      return nothing;
    }
    const added: Added[] = [];
    for (const directive of directives) added.push(await this.#add(directive, id, sender));
    const notes = added.map(({ note }) => note);
    for (const { line, code, hint } of faults) {
      notes.push(`Line ${line}: ${hint}`);
      this.emit({ type: "directive", outcome: "near-miss", line, text: "", code, why: hint });
    }
    return directives.length > 0 && rest.trim() === "" ? { notes, reply: replyTo(added) } : { notes };
  }

  /** Where no prompt came before it, the turn's contract is read now: its rules bind this call. */
  override onCall(input: CallInput): Promise<Decision> {
    const { contracts } = this.ports;
    if (contracts === undefined || this.#inForce !== undefined) return super.onCall(input);
    const limit = this.compiled.agent.limits.gatherMs ?? GATHER_MS;
    return this.#takeContract(contracts, limit).then(() => super.onCall(input));
  }

  /** A new turn is under the contract as it is then. */
  protected forgetContract(): void {
    this.#inForce = undefined;
  }

  /** What the turn is told of the contract; the same however often it is asked. */
  protected async contractOfTurn(limitMs: number): Promise<string | undefined> {
    const { contracts } = this.ports;
    if (contracts === undefined) return undefined;
    const inForce = this.#inForce ?? (await this.#takeContract(contracts, limitMs));
    if (inForce === "unreadable") return UNREADABLE;
    this.contractHash = inForce.contract.hash;
    return renderContract(inForce.contract);
  }

  async #takeContract(contracts: ContractService, limitMs: number): Promise<InForce | "unreadable"> {
    const read = await this.#readContract(contracts, limitMs);
    if (this.#inForce !== undefined) return this.#inForce;
    this.#inForce = read;
    // Its rules are those of the contract that was just read.
    const agent = this.agentOf(this.agent);
    this.compiled = read === "unreadable" ? agent.withAgent(withUnreadableRules(agent.agent)) : agent;
    return read;
  }

  /** For the event of the prompt: an empty contract has its hash too. */
  protected contractTold() {
    if (this.#inForce === undefined || this.#inForce === "unreadable") return {};
    const { contract, degraded } = this.#inForce;
    const { version, hash, directives } = contract;
    return {
      contract: { version, hash, directives: directives.length, ...(degraded ? { degraded: true as const } : {}) },
    };
  }

  async #readContract(contracts: ContractService, limitMs: number): Promise<InForce | "unreadable"> {
    const read = await withinLimit(limitMs, () => contracts.state());
    const state = "value" in read ? read.value : contracts.known;
    const fault = "fault" in read ? read.fault.message : read.value.fault?.message;
    if (fault !== undefined) this.#degraded(fault);
    if (state === undefined) return "unreadable";
    return { contract: contracts.of(state, this.#view()), degraded: fault !== undefined };
  }

  #degraded(message: string): void {
    this.fault({ where: "contract", code: "contract-degraded", message: `${message}; the last known one is in force` });
  }

  #view(): ContractView {
    const { channel, user } = this.slices.get(identitySlice);
    return { agent: this.agent, channel, ...(user === undefined ? {} : { user }) };
  }

  async #add({ type, text, line }: ParsedDirective, id: string | undefined, sender: Sender): Promise<Added> {
    const written = writeDirective({ type, text });
    const message = id === undefined ? {} : { message: { id, line } };
    const by = `${this.view.channel}:${sender.id ?? sender.user ?? "operator"}`;
    try {
      const decision = await this.ports.contracts?.change({ kind: "add", type, text, ...message }, by);
      if (decision === undefined) return { inForce: false, note: "" };
      if (decision.kind === "refused") {
        const { code, message: why, fix } = decision;
        this.emit({ type: "directive", outcome: "refused", line, text: written, code, why });
        return { inForce: false, note: `${written}: not taken up (${code}). ${why} ${fix}` };
      }
      const { outcome, contract, directive } = decision;
      const { version, hash } = contract;
      const told = outcome === "repeated" || outcome === "absorbed" ? outcome : "added";
      const named = directive === undefined ? {} : { directive: directive.id };
      this.emit({ type: "directive", outcome: told, line, text: written, version, hash, ...named });
      if (told !== "added" && directive === undefined) {
        const note = `${written}: taken when this message first came, and no longer in force. To have it again, say it in a new message.`;
        return { inForce: false, note };
      }
      if (told !== "added") return { inForce: true, note: `${written}: in force already.` };
      const note = `${written}: in force from now on, contract v${version} ${hash.slice(0, 6)}. Take it back: conduct behavior undo`;
      return { inForce: true, note };
    } catch (error) {
      const why = errorText(error);
      this.emit({ type: "directive", outcome: "refused", line, text: written, code: "GATEWAY_BEHAVIOR_FAILED", why });
      return { inForce: false, note: `${written}: not taken up, because it could not be kept: ${why}` };
    }
  }
}

/** The notes say what became of each; this only says whether all of them are in force. */
function replyTo(added: readonly Added[]): string {
  const inForce = added.filter((one) => one.inForce).length;
  if (inForce === added.length) return "Noted.";
  return inForce === 0 ? "Nothing was changed." : `Only ${inForce} of ${added.length} were taken up.`;
}

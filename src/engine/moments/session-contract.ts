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
import { REPAIR_COMMAND } from "../governance/repair-command.ts";
import { withUnreadableRules } from "../governance/standing-rules.ts";
import { GATHER_MS } from "./gather.ts";
import { SessionResults } from "./session-results.ts";
import { withinLimit } from "./within-limit.ts";

/** The contract of a turn. `degraded`: the store could not be read, and this is the last one known. */
type InForce = { readonly contract: ActiveBehaviorContract; readonly degraded: boolean };

/** There is no contract to go by. `damage`: what is wrong with the journal; absent when the store could not be read just now. */
type Unreadable = { readonly unreadable: true; readonly damage: string | undefined };

const UNREADABLE =
  "The operator's standing directives could not be read just now. Do nothing that cannot be undone without asking.";
const DAMAGED = `The journal of the operator's standing directives is damaged, so every tool call is denied until an operator has run \`${REPAIR_COMMAND}\`. Tell the person so.`;

/** What an operator's message has changed. `only`: the message had nothing else to say. */
export type CapturedDirectives = { readonly notes: readonly string[]; readonly only: boolean };

/** The operator's contract in a session: captured from messages, and held for the length of a turn. */
export class SessionContract extends SessionResults {
  #inForce: InForce | Unreadable | undefined;

  /** Takes up the directives of an operator's own message. Never rejects: what could not be kept is said. */
  protected async captureDirectives(
    text: string,
    id: string | undefined,
    sender: Sender | undefined,
  ): Promise<CapturedDirectives> {
    const nothing = { notes: [], only: false };
    if (this.ports.contracts === undefined || sender === undefined || this.parent !== undefined) return nothing;
    const { directives, faults, rest } = parseDirectives(text);
    if (sender.role !== "operator") {
      for (const { line, ...directive } of directives) {
        const why = `sent by a ${sender.role}`;
        this.emit({ type: "directive", outcome: "not-operator", line, text: writeDirective(directive), why });
      }
      return nothing;
    }
    const notes: string[] = [];
    for (const directive of directives) notes.push(await this.#add(directive, id, sender));
    for (const { line, code, hint } of faults) {
      notes.push(`Line ${line}: ${hint}`);
      this.emit({ type: "directive", outcome: "near-miss", line, text: "", code, why: hint });
    }
    return { notes, only: directives.length > 0 && rest.trim() === "" };
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
    if ("unreadable" in inForce) return inForce.damage === undefined ? UNREADABLE : DAMAGED;
    this.contractHash = inForce.contract.hash;
    return renderContract(inForce.contract);
  }

  async #takeContract(contracts: ContractService, limitMs: number): Promise<InForce | Unreadable> {
    const read = await this.#readContract(contracts, limitMs);
    if (this.#inForce !== undefined) return this.#inForce;
    this.#inForce = read;
    // Its rules are those of the contract that was just read.
    const agent = this.agentOf(this.agent);
    this.compiled = "unreadable" in read ? agent.withAgent(withUnreadableRules(agent.agent, read.damage)) : agent;
    return read;
  }

  /** For the event of the prompt: an empty contract has its hash too. */
  protected contractTold() {
    if (this.#inForce === undefined || "unreadable" in this.#inForce) return {};
    const { contract, degraded } = this.#inForce;
    const { version, hash, directives } = contract;
    return {
      contract: { version, hash, directives: directives.length, ...(degraded ? { degraded: true as const } : {}) },
    };
  }

  async #readContract(contracts: ContractService, limitMs: number): Promise<InForce | Unreadable> {
    const read = await withinLimit(limitMs, () => contracts.state());
    const damage = "value" in read ? read.value.fault : undefined;
    if (damage?.trust === "none") {
      const message = `${damage.message}; every call is denied until an operator runs ${REPAIR_COMMAND}`;
      this.fault({ where: "contract", code: "governance-damaged", message });
      return { unreadable: true, damage: damage.message };
    }
    const state = "value" in read ? read.value : contracts.known;
    const why = damage?.message ?? ("fault" in read ? read.fault.message : undefined);
    if (why !== undefined) {
      const fix = damage === undefined ? "" : `; repair the journal with ${REPAIR_COMMAND}`;
      const code = damage === undefined ? "contract-degraded" : "governance-damaged";
      this.fault({ where: "contract", code, message: `${why}; the last known one is in force${fix}` });
    }
    if (state === undefined) return { unreadable: true, damage: undefined };
    return { contract: contracts.of(state, this.#view()), degraded: why !== undefined };
  }

  #view(): ContractView {
    const { channel, user } = this.slices.get(identitySlice);
    return { agent: this.agent, channel, ...(user === undefined ? {} : { user }) };
  }

  async #add({ type, text, line }: ParsedDirective, id: string | undefined, sender: Sender): Promise<string> {
    const written = writeDirective({ type, text });
    const message = id === undefined ? {} : { message: { id, line } };
    const by = `${this.view.channel}:${sender.id ?? sender.user ?? "operator"}`;
    try {
      const decision = await this.ports.contracts?.change({ kind: "add", type, text, ...message }, by);
      if (decision === undefined) return "";
      if (decision.kind === "refused") {
        const { code, message: why, fix } = decision;
        this.emit({ type: "directive", outcome: "refused", line, text: written, code, why });
        return `${written}: not taken up (${code}). ${why} ${fix}`;
      }
      const { outcome, contract, directive } = decision;
      const { version, hash } = contract;
      const told = outcome === "repeated" || outcome === "absorbed" ? outcome : "added";
      const named = directive === undefined ? {} : { directive: directive.id };
      this.emit({ type: "directive", outcome: told, line, text: written, version, hash, ...named });
      if (told !== "added" && directive === undefined) {
        return `${written}: taken when this message first came, and no longer in force. To have it again, say it in a new message.`;
      }
      if (told !== "added") return `${written}: in force already.`;
      return `${written}: in force from now on, contract v${version} ${hash.slice(0, 6)}. Take it back: conduct behavior undo`;
    } catch (error) {
      const why = errorText(error);
      this.emit({ type: "directive", outcome: "refused", line, text: written, code: "GATEWAY_BEHAVIOR_FAILED", why });
      return `${written}: not taken up, because it could not be kept: ${why}`;
    }
  }
}

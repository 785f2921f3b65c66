import { Link } from "wouter";
import type { BehaviorDirective } from "../../../../../src/base/words/contract.ts";
import type { Answer, GatewayError } from "../../../data/client.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/button.tsx";
import { ErrorText } from "../../../ui/states.tsx";
import { Text } from "../../../ui/text.tsx";
import { lineOf, scopeInWords } from "../words.ts";
import { isRefusal, type Preview } from "./use-preview.ts";

export type Changed = Preview<Answer<"POST /api/contract/directives">>;

/** Shows why the change is rejected, with a button that resolves the conflict if possible. */
export function Refused({
  error,
  against,
  busy,
  onReplace,
}: {
  readonly error: GatewayError;
  readonly against: readonly BehaviorDirective[];
  readonly busy: boolean;
  readonly onReplace: () => void;
}) {
  return (
    <>
      <p>
        <Badge tone="denied">{NAMES[error.code] ?? (isRefusal(error) ? "not possible" : "failed")}</Badge>
      </p>
      <ErrorText error={error} />
      {against.length > 0 && (
        <p>
          <Button look="main" className="wraps" busy={busy} onClick={onReplace}>
            Replace <Text>{against.map(lineOf).join(" and ")}</Text>
          </Button>
        </p>
      )}
    </>
  );
}

const NAMES: { readonly [code: string]: string } = {
  BEHAVIOR_CONFLICT: "conflict",
  BEHAVIOR_CONTRACT_CAP: "the contract is full",
  INVALID_DIRECTIVE_TEXT: "not a directive",
  INVALID_CHECK: "not a check",
  INVALID_SCOPE: "unknown scope",
  INVALID_TIME: "not a future time",
};

/** Shows that nothing would change, because the directive is already in force. */
export function Said({
  outcome,
  by,
  busy,
  onReplace,
}: {
  readonly outcome: string;
  readonly by: BehaviorDirective | undefined;
  readonly busy: boolean;
  readonly onReplace: (() => void) | undefined;
}) {
  return (
    <>
      <p>
        <Badge tone="advised">{outcome === "repeated" ? "duplicate" : "covered by a stronger directive"}</Badge>
      </p>
      {by !== undefined && (
        <p>
          <Text>{lineOf(by)}</Text> (<Link href={`/contract?directive=${encodeURIComponent(by.id)}`}>{by.id}</Link>,{" "}
          <Text>{scopeInWords(by.scope)}</Text>) is already in force, so nothing would change.
        </p>
      )}
      {outcome === "absorbed" && onReplace !== undefined && (
        <p>
          <Button busy={busy} onClick={onReplace}>
            Replace it with this
          </Button>
        </p>
      )}
    </>
  );
}

/** Shows the version change and any warnings. */
export function Fits({
  preview: { value, asking },
  from,
  isCheck,
}: {
  readonly preview: Changed;
  readonly from: number | undefined;
  readonly isCheck: boolean;
}) {
  if (value === undefined) return null;
  return (
    <>
      <p>
        <Badge tone="passed">no conflict</Badge>{" "}
        <span className="quiet">
          {asking
            ? "checking…"
            : isCheck
              ? "only the check changes; the prompt stays the same"
              : `contract v${from ?? 0} → v${value.contract.version}, in force from the next turn`}
        </span>
      </p>
      {value.warnings.length > 0 && (
        <ul>
          {value.warnings.map((one) => (
            <li key={String(one.message)}>
              <Badge tone="advised">warning</Badge> <Text>{String(one.message)}</Text>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

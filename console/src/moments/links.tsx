import type { ReactNode } from "react";
import { Link } from "wouter";
import { Text } from "../ui/text.tsx";

export const whyHref = (decision: string): string => `/why/${encodeURIComponent(decision)}`;
export const sessionHref = (session: string, event?: string): string =>
  `/sessions/${encodeURIComponent(session)}${event === undefined ? "" : `?event=${encodeURIComponent(event)}`}`;

export function Row({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** Links to a rule. A question of several rules names them as `a + b`, and each has its link. */
export function RuleLink({ rule }: { readonly rule: string }) {
  return rule.split(" + ").map((one, at) => (
    <span key={one}>
      {at > 0 && " + "}
      <Link href={`/rules?rule=${encodeURIComponent(one)}`}>
        <Text className="mono">{one}</Text>
      </Link>
    </span>
  ));
}

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

export function RuleLink({ rule }: { readonly rule: string }) {
  return (
    <Link href={`/rules?rule=${encodeURIComponent(rule)}`}>
      <Text className="mono">{rule}</Text>
    </Link>
  );
}

import { Link } from "wouter";
import type { Answer } from "../../data/client.ts";
import { useQuery } from "../../data/use-query.ts";
import rows from "../../moments/moment-details.module.css";
import { Row } from "../../moments/moment-details.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Id } from "../../ui/id.tsx";
import { ErrorText, Skeleton } from "../../ui/states.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";

export type Why = Answer<"GET /api/decisions/{id}/why">;
type Seen = NonNullable<Why["needed"][number]["seen"]>;

const MOST_THERE = 12;

/** Shows the facts and the rules in force at the time of a decision. Loaded when it is opened. */
export function EvidenceOf({ id }: { readonly id: string }) {
  const query = useQuery("GET /api/decisions/{id}/why", { params: { id } });
  if (query.state === "loading") return <Skeleton lines={2} label="Loading the evidence" />;
  if (query.state === "failed") return <ErrorText error={query.error} />;
  return <Evidence why={query.data} />;
}

export function Evidence({ why }: { readonly why: Why }) {
  const { needed, there, modes, contract } = why;
  const isCall = why.event.type === "call";
  return (
    <dl className={rows.rows} aria-label="Evidence">
      {needed.map(({ what, seen }) => (
        <Row key={what} name="needs">
          <Text className="mono">{what}</Text> {seen !== undefined && <SeenText seen={seen} />}
        </Row>
      ))}
      {isCall && (
        <Row name="proven at that time">
          {there.length === 0 ? (
            <span className="quiet">nothing</span>
          ) : (
            <ul>
              {there.slice(0, MOST_THERE).map(({ name, at }) => (
                <li key={name}>
                  <Text className="mono">{name}</Text> <span aria-hidden="true">✓</span>{" "}
                  <span className="quiet">
                    <Time at={at} how="clock" />
                  </span>
                </li>
              ))}
              {there.length > MOST_THERE && <li className="quiet">and {there.length - MOST_THERE} more</li>}
            </ul>
          )}
        </Row>
      )}
      {contract !== undefined && (
        <Row name="contract">
          {contract.version !== undefined && (
            <>
              <Link href={`/contract?version=${contract.version}`}>v{contract.version}</Link>{" "}
            </>
          )}
          <Id id={contract.hash} short href={`/contract?hash=${encodeURIComponent(contract.hash)}`} />
          {contract.directives !== undefined &&
            ` ${contract.directives} ${contract.directives === 1 ? "directive" : "directives"}`}
          {contract.degraded === true && (
            <>
              {" "}
              <Badge tone="advised">last known version: the store could not be read</Badge>
            </>
          )}
        </Row>
      )}
      {modes !== undefined && <Row name="modes">{modesText(modes)}</Row>}
    </dl>
  );
}

function SeenText({ seen }: { readonly seen: Seen }) {
  if (seen.kind === "never") return <Badge tone="denied">never ran</Badge>;
  const when = seen.at === undefined ? null : <Time at={seen.at} how="clock" />;
  if (seen.kind === "ok")
    return (
      <>
        <Badge tone="passed">proven</Badge> <span className="quiet">{when}</span>
      </>
    );
  if (seen.kind === "early")
    return (
      <>
        <Badge tone="advised">ran before the rule existed</Badge> <span className="quiet">{when}</span>
      </>
    );
  return (
    <>
      <Badge tone="denied">{seen.outcome ?? "failed"}</Badge> <span className="quiet">{when}</span>
    </>
  );
}

function modesText({ think, verbose, elevated }: NonNullable<Why["modes"]>): string {
  const on = [think && "think", verbose && "verbose"].filter((one) => one !== false);
  return [on.length === 0 ? "none on" : on.join(", "), elevated ? "elevated" : "not elevated"].join(" · ");
}

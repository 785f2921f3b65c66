import { Link } from "wouter";
import type { ConductEvent } from "../../../src/base/words/event.ts";
import { figure, TokenBar } from "../ui/data/token-bar.tsx";
import { Text } from "../ui/text.tsx";
import { Row } from "./links.tsx";
import style from "./moment-details.module.css";
import { OpenResult } from "./open-result.tsx";

export function PromptRows({ event }: { readonly event: Extract<ConductEvent, { type: "prompt" }> }) {
  const most = Math.max(1, ...event.sections.map(({ tokens }) => tokens));
  return (
    <>
      <Row name="tokens">
        {figure(event.tokens)}, of which {figure(event.prefixTokens)} are cacheable{" "}
        <TokenBar part={event.prefixTokens} of={event.tokens} label="stable" />
      </Row>
      {event.contract !== undefined && (
        <Row name="contract">
          <Link href={`/contract?version=${event.contract.version}`}>v{event.contract.version}</Link>{" "}
          <code className="quiet">{event.contract.hash.slice(0, 6)}</code>
          {event.contract.degraded === true && " (last known version: the store could not be read)"}
        </Row>
      )}
      <Row name="sections">
        <ul className={style.sections}>
          {event.sections.map(({ contributor, tokens }) => (
            <li key={contributor}>
              <Text className="one-line">{contributor}</Text>
              <TokenBar part={tokens} of={most} label={contributor} />
              <span className={style.figure}>{figure(tokens)}</span>
            </li>
          ))}
        </ul>
      </Row>
      {event.cuts.map(({ contributor, limit, kept, of }) => (
        <Row key={contributor} name="cut">
          <Text>{contributor}</Text>: {figure(kept)} of {figure(of)} characters, by {limit}
        </Row>
      ))}
      <Row name="full prompt">
        <Link href={`/prompt?session=${encodeURIComponent(event.session)}&turn=${event.turn}`}>
          Show every line with its contributor
        </Link>
      </Row>
    </>
  );
}

export function ResultRows({ event }: { readonly event: Extract<ConductEvent, { type: "result" }> }) {
  return (
    <>
      <Row name="outcome">
        {event.outcome}
        {event.exitCode === undefined ? "" : `, exit code ${event.exitCode}`}
      </Row>
      {event.truncation.map(({ original, kept, estimated, limit, handle, strategy }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the truncations of one result never move
        <Row key={at} name="truncated">
          {estimated ? "~" : ""}
          {figure(original)} → {figure(kept)} tokens <TokenBar part={kept} of={original} label="kept" /> ({strategy},
          limit {figure(limit)})
          {handle === undefined ? (
            " the full result was not stored"
          ) : (
            <>
              {" "}
              <code>{handle}</code> <OpenResult event={event} handle={handle} />
            </>
          )}
        </Row>
      ))}
      {event.feedback.map(({ providerName, summary, suggestions, severity }) => (
        <Row key={providerName} name={severity}>
          <Text>{summary}</Text>
          {suggestions.map((one) => (
            <p key={one}>
              → <Text>{one}</Text>
            </p>
          ))}
        </Row>
      ))}
    </>
  );
}

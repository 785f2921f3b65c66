import type { Decision } from "../../../src/base/words/decision.ts";
import { Id } from "../ui/id.tsx";
import { Text } from "../ui/text.tsx";
import { Time } from "../ui/time.tsx";
import { Row, RuleLink, whyHref } from "./links.tsx";

export function DecisionRows({ decision }: { readonly decision: Decision }) {
  return (
    <>
      {decision.kind !== "allow" && (
        <Row name="rule">
          <RuleLink rule={decision.rule} />
          {decision.place !== undefined && (
            <Text className="quiet small">{` ${decision.place.file}:${decision.place.line}`}</Text>
          )}
        </Row>
      )}
      {decision.kind === "deny" && (
        <>
          <Row name="reason">
            <Text className="said">{decision.reason}</Text>
          </Row>
          {decision.missing.length > 0 && (
            <Row name="missing">
              <ul>
                {decision.missing.map(({ what, why }) => (
                  <li key={what}>
                    <Text className="mono">{what}</Text> <Text className="quiet">{why}</Text>
                  </li>
                ))}
              </ul>
            </Row>
          )}
          <Row name="next step">
            <Text className="said">{decision.next}</Text>
          </Row>
          <Row name="attempts">
            {decision.endTurn
              ? "the turn ends here"
              : decision.attemptsLeft === 0
                ? "the tool is blocked for this turn"
                : `${decision.attemptsLeft} left before the tool is blocked for this turn`}
          </Row>
          {decision.others.map(({ rule, reason }) => (
            <Row key={rule} name="also denied by">
              <RuleLink rule={rule} />: <Text>{reason}</Text>
            </Row>
          ))}
        </>
      )}
      {decision.kind === "ask" && (
        <>
          <Row name="question">
            <Text className="said">{decision.question}</Text>
          </Row>
          <Row name="expires">
            <Time at={decision.expiresAt} />
          </Row>
        </>
      )}
      {decision.kind === "allow" && decision.because !== undefined && (
        <Row name="allowed because">{decision.because}</Row>
      )}
      {decision.kind === "allow" &&
        decision.advice.map(({ rule, text, level }) => (
          <Row key={rule} name={level}>
            <RuleLink rule={rule} />: <Text>{text}</Text>
          </Row>
        ))}
      <Row name="decision">
        <Id id={decision.id} href={whyHref(decision.id)} />
      </Row>
    </>
  );
}

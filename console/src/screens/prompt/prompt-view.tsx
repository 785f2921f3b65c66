import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { useHotkeys } from "../../app/hotkeys.tsx";
import { Section } from "../../app/page.tsx";
import { Row, sessionHref } from "../../moments/moment-details.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { SearchField } from "../../ui/field.tsx";
import { copyText, Id } from "../../ui/id.tsx";
import { Text } from "../../ui/text.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { figure, TokenBar } from "../../ui/token-bar.tsx";
import { LeftOut } from "./left-out.tsx";
import style from "./prompt.module.css";
import { PromptLines } from "./prompt-lines.tsx";
import type { ShownPrompt } from "./shown-prompt.ts";

/** A prompt: its figures, its lines, and what is not in it. `beside` stands between the figures and the lines. */
export function PromptView({
  prompt,
  compare,
  beside,
}: {
  readonly prompt: ShownPrompt;
  readonly compare: { readonly label: string; readonly run: () => void };
  readonly beside: ReactNode;
}) {
  const tell = useToast();
  const [search, setSearch] = useState("");
  const { text, past, tokens, prefixTokens } = prompt;
  const copy = () => {
    if (text === undefined) return;
    copyText(text).then(
      () => tell(`Copied ${figure(text.length)} characters`),
      () => tell("The browser does not allow this page to copy.", { tone: "denied" }),
    );
  };
  useHotkeys([{ keys: "y", does: "Copy the prompt as text", run: copy }]);
  const stable = tokens === 0 ? 0 : Math.floor((prefixTokens / tokens) * 100);
  return (
    <>
      <div className={style.head}>
        <dl className={style.figures}>
          <Row name="tokens">
            {figure(tokens)} in {prompt.sections.length} sections
          </Row>
          <Row name="stable">
            {figure(prefixTokens)} tokens, {stable} % <TokenBar part={prefixTokens} of={tokens} label="stable" />
          </Row>
          <Row name="hash">
            <Id id={prompt.hash} />
          </Row>
          <Row name="prefix hash">
            <Id id={prompt.prefixHash} />
          </Row>
          {past !== undefined && (
            <>
              <Row name="sent">
                <Time at={past.at} how="absolute" />, turn {past.turn} of{" "}
                <Id id={past.session} short href={sessionHref(past.session, past.event)} />
              </Row>
              <Row name="exact">
                {past.exact ? (
                  <>
                    <Badge tone="passed">byte for byte</Badge> as the model got it
                  </>
                ) : (
                  <>
                    <Badge tone="advised">not exact</Badge> secrets were redacted, or texts have expired
                  </>
                )}
              </Row>
              {past.contract !== undefined && (
                <Row name="contract">
                  <Link href={`/contract?version=${past.contract.version}`}>v{past.contract.version}</Link>{" "}
                  <Id id={past.contract.hash} short href={`/contract?hash=${encodeURIComponent(past.contract.hash)}`} />
                </Row>
              )}
            </>
          )}
          {prompt.faults.map(({ where, message }) => (
            <Row key={`${where} ${message}`} name="fault">
              <Badge tone="denied">
                <Text>{where}</Text>
              </Badge>{" "}
              <Text>{message}</Text>
            </Row>
          ))}
        </dl>
        <div className="row">
          <Button onClick={compare.run}>{compare.label}</Button>
          <Button disabled={text === undefined} onClick={copy}>
            Copy as text
          </Button>
        </div>
      </div>
      {beside}
      <Section
        title="Lines"
        actions={
          <SearchField
            label="Find in this prompt"
            hideLabel
            placeholder="Find in this prompt"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        }
      >
        <PromptLines prompt={prompt} wanted={search.trim()} />
      </Section>
      <LeftOut prompt={prompt} />
    </>
  );
}

import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/states.tsx";

const TRIES = [
  "deploy it",
  "remember that the dock is gate 9",
  "what do you remember about the dock?",
  "always answer in French",
];

/** A conversation in which nothing was said yet. */
export function Beginning({
  isDemo,
  mayTalk,
  onTry,
}: {
  readonly isDemo: boolean;
  readonly mayTalk: boolean;
  readonly onTry: (text: string) => void;
}) {
  if (!mayTalk) return <EmptyState title="Nothing was said here" />;
  return (
    <EmptyState
      title="Say something to the agent"
      action={
        isDemo ? (
          <div className="row">
            {TRIES.map((text) => (
              <Button key={text} onClick={() => onTry(text)}>
                {text}
              </Button>
            ))}
          </div>
        ) : undefined
      }
    >
      Every turn is a strip of five moments: what was said ◦, what the agent was told ¶, what it asked for ▸, what it
      got back ◂, and whether it was done ■. Each opens to why.
    </EmptyState>
  );
}

import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/states.tsx";

const TRIES = [
  "deploy it",
  "remember that the dock is gate 9",
  "what do you remember about the dock?",
  "always answer in French",
];

/** A conversation without messages. */
export function Beginning({
  isDemo,
  mayTalk,
  onTry,
}: {
  readonly isDemo: boolean;
  readonly mayTalk: boolean;
  readonly onTry: (text: string) => void;
}) {
  if (!mayTalk) return <EmptyState title="No messages yet" />;
  return (
    <EmptyState
      title="Examples to try"
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
      Each turn is a strip of five moments: message ◦, prompt ¶, call ▸, result ◂ and stop ■. Select one to see why it
      happened.
    </EmptyState>
  );
}

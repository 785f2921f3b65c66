import { type KeyboardEvent, useEffect, useLayoutEffect, useRef } from "react";
import type { Modes } from "../../../../src/base/words/modes.ts";
import { IS_MAC } from "../../app/hotkeys.tsx";
import type { GatewayError } from "../../data/client.ts";
import { useIsOperator } from "../../data/store.tsx";
import { Button, Chip } from "../../ui/button.tsx";
import { ErrorText } from "../../ui/states.tsx";
import style from "./composer.module.css";

const MODES = ["think", "verbose", "elevated"] as const;
const HINTS = {
  think: "think longer before answering",
  verbose: "show tool results",
  elevated: "approve questions automatically and lift workspace limits; rules still apply",
} as const;
const MOST_HEIGHT = 240;

/** Writes a message. While a turn runs, the message is queued or steered into that turn. */
export function Composer({
  text,
  onText,
  modes,
  isRunning,
  error,
  onSend,
  onCancel,
  focusKey,
}: {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly modes: Modes;
  readonly isRunning: boolean;
  readonly error: GatewayError | undefined;
  readonly onSend: (text: string, how: "queue" | "steer") => void;
  readonly onCancel: () => void;
  /** Focuses the field when this changes. */
  readonly focusKey: string;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  const isOperator = useIsOperator();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the field is as high as its text
  useLayoutEffect(() => {
    const box = field.current;
    if (box === null) return;
    box.style.height = "auto";
    box.style.height = `${Math.min(MOST_HEIGHT, box.scrollHeight + 2)}px`;
  }, [text]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation, another beginning
  useEffect(() => {
    // On a phone, focusing would open the keyboard over the conversation.
    if (matchMedia("(min-width: 720px)").matches) field.current?.focus();
  }, [focusKey]);
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape" && isRunning && !event.nativeEvent.isComposing) onCancel();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onSend(text, isRunning && (IS_MAC ? event.metaKey : event.ctrlKey) ? "steer" : "queue");
  };
  return (
    <form
      className={style.composer}
      onSubmit={(event) => {
        event.preventDefault();
        onSend(text, "queue");
      }}
    >
      {error !== undefined && (
        <div className={style.error} role="alert">
          <ErrorText error={error} />
        </div>
      )}
      <div className={style.write}>
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          aria-label="Message"
          placeholder={isRunning ? "Queue a message" : "Write a message; /new starts a new session"}
          className={style.field}
          value={text}
          onChange={(event) => onText(event.target.value)}
          onKeyDown={onKey}
        />
        {isRunning && (
          <Button
            disabled={text.trim() === ""}
            title={`Add to the running turn (${IS_MAC ? "⌘" : "Ctrl"} Enter)`}
            onClick={() => onSend(text, "steer")}
          >
            Steer
          </Button>
        )}
        <Button look="main" type="submit" disabled={text.trim() === ""}>
          {isRunning ? "Queue" : "Send"}
        </Button>
      </div>
      <fieldset className={style.modes}>
        <legend className="unseen">Modes</legend>
        {MODES.filter((mode) => mode !== "elevated" || isOperator).map((mode) => (
          <Chip
            key={mode}
            on={modes[mode]}
            title={HINTS[mode]}
            onClick={() => onSend(`/${mode} ${modes[mode] ? "off" : "on"}`, "queue")}
          >
            {mode}
            {mode === "think" && modes.think && modes.thinkLevel !== undefined ? ` ${modes.thinkLevel}` : ""}
          </Chip>
        ))}
        <span className="grow" />
        {isRunning && (
          <Button onClick={onCancel}>
            Stop <kbd>Esc</kbd>
          </Button>
        )}
      </fieldset>
    </form>
  );
}

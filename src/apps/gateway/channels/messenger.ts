/** A button: its label, and its data in the form `KIND:ID:CHOICE`. */
export type Button = readonly [label: string, data: string];

/** A message with buttons, as its channel names it. */
export type Posted = { readonly address: string; readonly message: string };

/** A chat service in which people read questions and press buttons. */
export type Messenger = {
  readonly channel: "telegram" | "slack";
  /** The private chats of the operators. */
  operators(): Promise<readonly string[]>;
  ask(address: string, text: string, buttons: readonly Button[]): Promise<Posted>;
  /** Replaces the text of a message and removes its buttons. */
  close(posted: Posted, text: string): Promise<void>;
};

/** The connection of a chat service. */
export type ChannelState =
  | { readonly kind: "connecting" }
  | { readonly kind: "connected"; readonly username: string }
  | { readonly kind: "failing"; readonly why: string };

/** The buttons of a question. */
export function answerButtons(approval: string, remember: boolean): readonly Button[] {
  const buttons: readonly Button[] = [
    ["Yes", `a:${approval}:yes`],
    ["No", `a:${approval}:no`],
  ];
  return remember ? [...buttons, ["Always in this session", `a:${approval}:always`]] : buttons;
}

/** The buttons of a proposal of the review. */
export function proposalButtons(candidate: string): readonly Button[] {
  return [
    ["Promote", `c:${candidate}:promote`],
    ["Reject", `c:${candidate}:reject`],
  ];
}

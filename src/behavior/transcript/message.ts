/** A call as the model made it; `args` is the JSON that is sent. */
export type TranscriptCall = { readonly id: string; readonly tool: string; readonly args: string };

/** One message of a transcript, as it is sent to the model. The text of a system message has the tools' schemas in it. */
export type TranscriptMessage =
  | { readonly kind: "system"; readonly text: string }
  | { readonly kind: "user"; readonly text: string; readonly images: number }
  | { readonly kind: "assistant"; readonly text: string; readonly calls: readonly TranscriptCall[] }
  | {
      readonly kind: "result";
      readonly call: string;
      readonly tool: string;
      readonly text: string;
      readonly images: number;
      readonly failed: boolean;
    };

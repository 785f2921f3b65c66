import type { Usage } from "../words/budget.ts";

/** One question to a model. */
export type ModelQuestion = {
  /** `provider/model`. */
  readonly model: string;
  readonly system?: string;
  readonly prompt: string;
  readonly maxTokens: number;
  readonly signal?: AbortSignal;
};

/** The model's text and the tokens it used. */
export type ModelAnswer = { readonly text: string; readonly usage: Partial<Usage> };

/** Access to models for Conduct's own questions. */
export type Models = {
  /** Sends one question to a model, without tools. Rejects with an Error that says what to do. */
  ask(question: ModelQuestion): Promise<ModelAnswer>;
};

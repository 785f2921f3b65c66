import {
  anything,
  callback,
  either,
  flag,
  having,
  listOf,
  mapOf,
  name,
  number,
  object,
  oneOf,
  optional,
  type Shapes,
  shape,
  text,
} from "../../base/kernel/check-options.ts";

const policy = shape({
  name,
  initial: optional(anything),
  rearmOnCompaction: optional(flag),
  rewrites: optional(flag),
  gather: optional(callback),
  check: callback,
  onDecided: optional(callback),
  onResult: optional(callback),
  onSettled: optional(callback),
});

/** A policy that is a class instance may have further members. */
const anyPolicy = {
  ...policy,
  expected: "a policy: an object with 'name' and check()",
  faults: (value: unknown, path: string) =>
    isInstance(value) ? having("check").faults(value, path) : policy.faults(value, path),
};

function isInstance(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) !== Object.prototype;
}

const AMOUNTS = "tokens inputTokens outputTokens calls cost";
const LIMITS = `${AMOUNTS} time deadline window toolResultShare turnResultShare stops gatherMs checkMs completionMs`;
const keysOf = (keys: string) => Object.fromEntries(keys.split(" ").map((key) => [key, optional(anything)]));
const limits = shape({
  ...keysOf(LIMITS),
  turn: optional(shape(keysOf(`${AMOUNTS} time deadline`))),
  day: optional(shape(keysOf(AMOUNTS))),
});

/** The options of `defineAgent`. Values are checked further together with the whole definition. */
export const agentKeys: Shapes = {
  name: text,
  sections: optional(
    listOf(
      shape({ heading: text, content: text, tools: optional(listOf(name)), policies: optional(listOf(anyPolicy)) }),
    ),
  ),
  tools: optional(
    listOf(
      shape({
        name,
        description: optional(text),
        risk: optional(oneOf("low", "high")),
        paths: optional(mapOf(oneOf("read", "write", "change"))),
        args: optional(listOf(name)),
        prerequisites: optional(listOf(name)),
      }),
    ),
  ),
  actions: optional(mapOf(shape({ tool: name, command: optional(text), implies: optional(listOf(name)) }))),
  programs: optional(mapOf(object)),
  rules: optional(listOf(either(text, object))),
  policies: optional(listOf(anyPolicy)),
  feedback: optional(
    listOf(
      shape({
        provider: having("provide"),
        trigger: shape({
          everyNCalls: optional(anything),
          everyNSeconds: optional(anything),
          onFileCreated: optional(shape({ filename: text })),
        }),
      }),
    ),
  ),
  completion: optional(having("check")),
  limits: optional(limits),
  trustedTools: optional(listOf(shape({ server: optional(name), tool: name }))),
  network: optional(listOf(name)),
  mcpServers: optional(mapOf(object)),
  checkpoints: optional(shape({ verify_context: optional(text), review_plan: optional(text) })),
  identity: optional(shape({ name: optional(text), vibe: optional(text), description: optional(text) })),
  soul: optional(text),
  model: optional(text),
  contributors: optional(listOf(object)),
  prompt: optional(
    shape({
      mode: optional(text),
      layout: optional(text),
      budget: optional(number),
      skills: optional(listOf(shape({ name: text, description: text, path: text }))),
      docs: optional(listOf(shape({ path: text, about: optional(text) }))),
      messaging: optional(text),
      voice: optional(text),
      replyTags: optional(listOf(shape({ tag: text, means: text }))),
    }),
  ),
  sessionLabels: optional(
    shape({ enabled: flag, model: optional(text), every: optional(number), wait: optional(number) }),
  ),
  custom: optional(listOf(name)),
  memory: optional(text),
  elevation: optional(oneOf("never")),
};

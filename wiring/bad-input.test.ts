import { afterAll, describe, expect } from "vitest";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine();
afterAll(() => machine.close());

const OWN = 'baseUrl: "http://127.0.0.1:1", api: openai-completions';
const AGENT = (text: string) => `agents:\n  x:\n    ${text}\n`;
const MODEL = (text: string) => `agents:\n  x: {}\nmodels:\n  ${text}\n`;

/** What a person writes by mistake, and the one error at its line. */
const FAULTS: readonly (readonly [written: string, message: RegExp])[] = [
  [AGENT("limits: { turn: 5 }"), /:3\s+'turn' must be a map, not 5/],
  [AGENT("limits: { turn: { cals: 5 } }"), /:3\s+unknown key 'cals'[\s\S]*did you mean 'calls'/],
  [AGENT("limits: { day: { calls: -1 } }"), /:3\s+'calls' must be a whole number above 0, not -1/],
  [AGENT("limits: { session: { time: 5 } }"), /:3\s+'time' must be a duration above 0/],
  [AGENT("limits: { window: big }"), /:3\s+'window' must be a whole number above 0, not "big"/],
  [AGENT("limits: { toolResultShare: 2 }"), /:3\s+'toolResultShare' must be a number above 0 and at most 1/],
  [AGENT("custom: night"), /:3\s+'custom' must be a list, not "night"/],
  [AGENT("custom: [7]"), /:3\s+'custom\[0\]' must be a string, not 7/],
  [AGENT("sessionLabels: { enabled: yes please }"), /:3\s+'enabled' must be true or false/],
  [AGENT("sessionLabels: { enabled: true, model: no/body }"), /:3\s+there is no model provider "no"/],
  [AGENT("trustedTools: [audit]"), /:3\s+'trustedTools\[0\]' must be a map/],
  [AGENT("trustedTools: [{ tool: t, sever: s }]"), /:3\s+unknown key 'sever'[\s\S]*did you mean 'server'/],
  [AGENT("elevation: sometimes"), /:3\s+'elevation' must be 'never', not "sometimes"/],
  [AGENT("prompt: { skills: [./none] }"), /:3\s+there is no .*none\/SKILL\.md/],
  [AGENT("rules: [{ id: a, on: shell, tag: 7 }]"), /:3\s+'tag' must be a name or a list of names, not 7/],
  [
    AGENT(`rules: [{ id: a, on: shell, when: 'session.topc == "x"' }]`),
    /:3\s+'when' cannot be used: session has no field 'topc'/,
  ],
  [AGENT("mcpServers: { desk: node }"), /:3\s+'desk' must be a map, not "node"/],
  ["agents:\n  x: {}\nplugins: [./none.mjs]\n", /:3\s+there is no file .*none\.mjs/],
  [MODEL("own: { baseUrl: 'http://127.0.0.1:1', api: openai-completions }"), /:4\s+'own' must be provider\/model/],
  [MODEL("own/x: { baseUrl: nowhere, api: openai-completions }"), /:4\s+'baseUrl' must be an address/],
  [MODEL("own/x: { api: openai-completions }"), /:4\s+'own\/x' needs 'baseUrl' as well/],
  [MODEL(`own/x: { ${OWN}, window: -5 }`), /:4\s+'window' must be a whole number above 0, not -5/],
  [MODEL(`own/x: { ${OWN}, reasoning: maybe }`), /:4\s+'reasoning' must be true or false, not "maybe"/],
  [MODEL(`own/x: { ${OWN}, prices: { input: free, output: 0 } }`), /:4\s+'input' must be an amount of US dollars/],
];

describe("mistakes in conduct.yaml", () => {
  wired(
    ["models.*.baseUrl", "models.*.window", "agents.*.limits.turn", "agents.*.custom", "agents.*.elevation"],
    "WIR-912 each mistake is one error at its line, and the gateway does not start with it",
    async () => {
      for (const [written, message] of FAULTS) {
        machine.write({ ".conduct/conduct.yaml": written });
        const { code, out } = await machine.conduct(["config", "check"]);
        const shown = out.replace(/conduct\.yaml:(\d+):\d+/g, ":$1");
        expect([written, code, shown]).toEqual([written, 1, expect.stringMatching(message)]);
        expect(shown, written).toContain("1 fault in");
      }
      const { code, out, err } = await machine.conduct(["gateway", "--port", "0"]);
      expect([code, out + err]).toEqual([1, expect.stringContaining("must be an amount of US dollars")]);
    },
  );

  wired(
    "models.*.baseUrl",
    "WIR-913 a model that cannot be reached fails its turn with the reason, and other agents are answered",
    async () => {
      const model = await machine.model(() => ({ text: "here" }));
      machine.write({
        ".conduct/conduct.yaml": `agents:
  lost: { model: own/lost }
  calm: { model: own/calm }
models:
  own/lost: { ${OWN} }
  own/calm: { baseUrl: "${model.openaiUrl}", api: openai-completions }
`,
      });
      const gateway = await machine.gateway();
      const lost = await gateway.say("lost", "hello");
      expect([lost.status, lost.why]).toEqual(["failed", expect.stringContaining("cannot be reached")]);
      expect((await gateway.say("calm", "hello")).answer).toBe("here");
    },
  );
});

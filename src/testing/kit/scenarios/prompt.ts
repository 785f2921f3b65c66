import type { PromptContributor } from "../../../base/words/prompt.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import type { KitRun, OwnTool } from "../driver.ts";
import { check, checkContains, checkLacks, resultOf, toldIn } from "../expect.ts";
import type { Scenario } from "./scenario.ts";

const OWN: readonly OwnTool[] = ["update_instructions", "read_memory", "save_memory"];

const agent = defineAgent({
  name: "kit",
  identity: { name: "Kit", description: "a parts clerk" },
  soul: "Count twice before you ship.",
  sections: [{ heading: "Task", content: "You look things up. Kit marker: PROMPT-7F3A." }],
});

/** Two turns of one user; between them one plugin's section changes and another is removed. */
function twoTurns(): KitRun {
  let stock = "STOCK-FULL";
  let takeOut = (): void => undefined;
  const contributors: readonly PromptContributor[] = [
    { id: "stock", contribute: () => ({ heading: "Stock", content: stock }) },
    { id: "sale", contribute: () => ({ heading: "Sale", content: "SALE-ON" }) },
  ];
  return {
    agent,
    message: "Always answer in French! Remember that my dock is gate 9.",
    further: ["What is my dock?"],
    session: { user: "ann", channel: "pager", zone: "Asia/Kolkata" },
    ports: {
      channels: { pager: { guidance: "One line, no links.", interactive: true } },
      plugins: [
        {
          name: "shop",
          setup({ registerPromptContributor }) {
            for (const contributor of contributors) takeOut = registerPromptContributor(contributor);
          },
        },
      ],
    },
    before(turn) {
      if (turn !== 2) return;
      stock = "STOCK-LOW";
      takeOut();
    },
    script: [
      { calls: [{ id: "call_1", tool: "update_instructions", args: { add: ["Answer in French."] } }] },
      { calls: [{ id: "call_2", tool: "save_memory", args: { text: "The dock is gate 9." } }] },
      { text: "D'accord." },
      { calls: [{ id: "call_3", tool: "read_memory", args: { query: "dock" } }] },
      { text: "Gate 9." },
    ],
  };
}

export const promptScenarios: readonly Scenario[] = [
  {
    id: "prompt-told",
    title: "all that the agent is told reaches the model, in the names it sees, and what changed is in the next turn",
    needs: ["prompt"],
    async run(driver) {
      const outcome = await driver.run(twoTurns());
      check(outcome.unplayed === 0, `${outcome.unplayed} replies were never asked for`);
      const [first, , , fourth, last] = outcome.requests;
      check(first !== undefined && fourth !== undefined && last !== undefined, "five model requests expected");
      const [before, after] = [toldIn(first), toldIn(fourth)];
      const always = [
        "You are Kit — a parts clerk.",
        "Count twice before you ship.",
        "PROMPT-7F3A",
        "You are responding via pager.\nOne line, no links.",
        "(Asia/Kolkata)",
        ...OWN.map((tool) => driver.toolName(tool)),
      ];
      for (const part of always) {
        checkContains(before, part, "what the agent is told in turn 1");
        checkContains(after, part, "what the agent is told in turn 2");
      }
      for (const part of ["STOCK-FULL", "SALE-ON"]) checkContains(before, part, "what the agent is told in turn 1");
      checkLacks(before, "- Answer in French.", "what the agent is told in turn 1");
      for (const part of ["STOCK-LOW", "- Answer in French."])
        checkContains(after, part, "what the agent is told in turn 2");
      for (const part of ["SALE-ON", "STOCK-FULL"]) checkLacks(after, part, "what the agent is told in turn 2");
      checkContains(resultOf(outcome, "call_3"), "The dock is gate 9.", "what read_memory gave");
    },
  },
  {
    id: "contract-told",
    title:
      "an operator's directives are in force in the very turn, the whole block once, and a change is in the next turn",
    needs: ["prompt"],
    async run(driver) {
      const outcome = await driver.run({
        agent,
        message: "KEEP: short status notes\n\nCount the parts.",
        further: ["STOP: long reports\n\nCount again."],
        session: { sender: { id: "1", role: "operator" } },
        script: [{ text: "12." }, { text: "12 again." }],
      });
      const [first, second] = outcome.requests;
      check(first !== undefined && second !== undefined, "two model requests expected");
      const [before, after] = [toldIn(first), toldIn(second)];
      const block = (body: string) =>
        new RegExp(`<GATEWAY_BEHAVIOR_CONTRACT version=\\d+ hash=[0-9a-f]{20}>\\n${body}\\n</GATEWAY`);
      check(block("- KEEP: short status notes").test(before), "the block is not in what the agent is told in turn 1");
      check(block("- KEEP: short status notes\\n- STOP: long reports").test(after), "turn 2 lacks the new contract");
      for (const told of [before, after]) {
        const times = told.split("<GATEWAY_BEHAVIOR_CONTRACT").length - 1;
        check(times === 1, `the block stands ${times} times in one prompt`);
      }
      const hashes = outcome.events.flatMap((event) => (event.type === "prompt" ? [event.contract?.hash] : []));
      checkContains(after, `hash=${hashes.at(-1)}`, "what the agent is told in turn 2");
    },
  },
];

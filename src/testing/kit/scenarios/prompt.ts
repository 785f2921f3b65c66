import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OwnTool } from "../driver.ts";
import { check, checkContains, checkLacks, resultOf, toldIn } from "../expect.ts";
import { configOf, type Scenario } from "./scenario.ts";

const OWN: readonly OwnTool[] = ["update_instructions", "read_memory", "save_memory"];

const config = configOf("kit", {
  identity: { name: "Kit", description: "a parts clerk" },
  soul: "Count twice before you ship.",
  sections: [{ heading: "Task", content: "You look things up. Kit marker: PROMPT-7F3A." }],
});

/** A section that follows a file of the workspace, and one that goes with it. */
const SHOP = `import { readFileSync } from "node:fs";
const stock = ({ workspaceDir }) => readFileSync(workspaceDir + "/stock.txt", "utf8").trim();
export default {
  name: "shop",
  setup({ registerPromptContributor }) {
    registerPromptContributor({ id: "stock", contribute: (at) => ({ heading: "Stock", content: stock(at) }) });
    registerPromptContributor({
      id: "sale",
      shouldContribute: (at) => stock(at) === "STOCK-FULL",
      contribute: () => ({ heading: "Sale", content: "SALE-ON" }),
    });
  },
};
`;

export const promptScenarios: readonly Scenario[] = [
  {
    id: "prompt-told",
    title: "all that the agent is told reaches the model, and what a plugin changes is in the next turn",
    needs: ["prompt"],
    async run(driver) {
      const outcome = await driver.run({
        config,
        plugin: SHOP,
        message: "What is in stock?",
        further: ["And now?"],
        files: { "stock.txt": "STOCK-FULL\n" },
        async before(turn, { workspace }) {
          if (turn === 2) await writeFile(join(workspace, "stock.txt"), "STOCK-LOW\n");
        },
        script: [{ text: "All of it." }, { text: "Some of it." }],
      });
      check(outcome.unplayed === 0, `${outcome.unplayed} replies were never asked for`);
      const [before, after] = outcome.requests.map(toldIn);
      check(before !== undefined && after !== undefined, "two model requests expected");
      for (const part of ["You are Kit — a parts clerk.", "Count twice before you ship.", "PROMPT-7F3A"]) {
        checkContains(before, part, "what the agent is told in turn 1");
        checkContains(after, part, "what the agent is told in turn 2");
      }
      for (const part of ["STOCK-FULL", "SALE-ON"]) {
        checkContains(before, part, "what the agent is told in turn 1");
        checkLacks(after, part, "what the agent is told in turn 2");
      }
      checkContains(after, "STOCK-LOW", "what the agent is told in turn 2");
    },
  },
  {
    id: "user-told",
    title: "instructions and memory that the model saves for the user are in the next turn, under the names it sees",
    needs: ["prompt", "user"],
    async run(driver) {
      const outcome = await driver.run({
        config,
        message: "Always answer in French! Remember that my dock is gate 9.",
        further: ["What is my dock?"],
        script: [
          { calls: [{ id: "call_1", tool: "update_instructions", args: { add: ["Answer in French."] } }] },
          { calls: [{ id: "call_2", tool: "save_memory", args: { text: "The dock is gate 9." } }] },
          { text: "D'accord." },
          { calls: [{ id: "call_3", tool: "read_memory", args: { query: "dock" } }] },
          { text: "Gate 9." },
        ],
      });
      check(outcome.unplayed === 0, `${outcome.unplayed} replies were never asked for`);
      const [first, , , fourth] = outcome.requests;
      check(first !== undefined && fourth !== undefined, "five model requests expected");
      for (const tool of OWN) checkContains(toldIn(first), driver.toolName(tool), "what the agent is told in turn 1");
      checkLacks(toldIn(first), "- Answer in French.", "what the agent is told in turn 1");
      checkContains(toldIn(fourth), "- Answer in French.", "what the agent is told in turn 2");
      checkContains(resultOf(outcome, "call_3"), "The dock is gate 9.", "what read_memory gave");
    },
  },
  {
    id: "contract-told",
    title:
      "an operator's directives are in force in the very turn, the whole block once, and a change is in the next turn",
    needs: ["prompt", "operator"],
    async run(driver) {
      const outcome = await driver.run({
        config,
        message: "KEEP: short status notes\n\nCount the parts.",
        further: ["STOP: long reports\n\nCount again."],
        operator: true,
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

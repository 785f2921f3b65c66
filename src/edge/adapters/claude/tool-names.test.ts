import { expect, it } from "vitest";
import type { Session } from "../../../engine/session/session.ts";
import { toolName } from "../shared/claude/tool-map.ts";
import { promptRequest } from "./adapter.ts";

const session = { tools: () => [{ name: "read_result" }, { name: "save_memory" }] } as unknown as Session;
const own = ["mcp__conduct__read_result", "mcp__conduct__save_memory"];

it.each([
  { options: {}, tools: undefined },
  { options: { tools: { type: "preset", preset: "claude_code" } }, tools: undefined },
  { options: { tools: [] }, tools: own },
  {
    options: { tools: ["Read", "Bash"], disallowedTools: ["Bash", "mcp__conduct__save_memory"] },
    tools: ["Read", own[0]],
  },
])("NAME-1 with the options $options the model has the tools $tools", ({ options, tools }) => {
  expect(promptRequest(options, session).tools).toEqual(tools);
});

it.each([
  { tool: "read_memory", name: "mcp__conduct__read_memory" },
  { tool: "Bash", name: "Bash" },
  { tool: "shell", name: "Bash" },
  { tool: "read_file", name: "Read" },
  { tool: "deploy", name: "deploy" },
  { tool: "constructor", name: "constructor" },
])("NAME-2 the model sees $tool as $name", ({ tool, name }) => {
  expect(toolName(tool)).toBe(name);
});

import type { ConductPlugin, PluginTool } from "../../../../base/words/hosting/plugin.ts";

/** The tools of the demo day's shop. They answer like a shop and change nothing. */
export const dayPlugin: ConductPlugin = {
  name: "demo-day",
  setup(api) {
    for (const tool of TOOLS) api.registerTool(tool);
  },
};

const TOOLS: readonly PluginTool[] = [
  tool("verify_identity", "Check a customer's code", ["customer", "code"], ({ customer }) => `${customer} is verified`),
  tool("look_up_order", "Show an order", ["order"], ({ order }) =>
    JSON.stringify({ order, status: "shipped", carrier: "Parcel Post", items: 2, arrives: "tomorrow" }, null, 2),
  ),
  tool(
    "refund",
    "Pay money back",
    ["customer", "order", "amount", "reason"],
    ({ order, amount }) => `refunded ${amount} dollars for order ${order}`,
  ),
  tool("close_account", "Close an account", ["customer"], ({ customer }) => `the account of ${customer} is closed`),
  tool("test", "Run the tests", [], () => "38 tests passed in 4.1 s"),
  tool("build", "Build the website", [], () => "built dist/ (214 kB)"),
  tool("deploy", "Put the build into production", [], () => "the website is live"),
];

function tool(
  name: string,
  description: string,
  args: readonly string[],
  answer: (args: { readonly [name: string]: string }) => string,
): PluginTool {
  const properties = Object.fromEntries(args.map((one) => [one, { type: one === "amount" ? "number" : "string" }]));
  return {
    name,
    description,
    parameters: { type: "object", properties, required: [...args], additionalProperties: false },
    run: (given) => answer(Object.fromEntries(args.map((one) => [one, String(given[one])]))),
  };
}

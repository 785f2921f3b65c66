import { type HostedTools, objectOf } from "../runtimes/sandbox-tools.ts";

/** The agent that exists without a configuration. */
export const DEMO_AGENT = "demo";

/** The initial files of the demo workspace. */
export const DEMO_FILES: { readonly [path: string]: string } = {
  "README.md": "# Shop\n\nA very small shop. `src/price.txt` holds its prices.\n",
  "src/price.txt": "tea 3.20\ncoffee 2.80\n",
};

export const DEMO_TOOLS: HostedTools = {
  test: {
    description: "Run the tests",
    parameters: objectOf({}),
    async run(_args, { files }) {
      const lines = (await files.read("src/price.txt")).text.trim().split("\n");
      const wrong = lines.filter((line) => !/^\S+ \d+\.\d\d$/.test(line));
      const text = wrong.length === 0 ? `${lines.length} prices tested, all fine` : `not a price: ${wrong.join("; ")}`;
      return { text, exitCode: wrong.length === 0 ? 0 : 1 };
    },
  },
  build: {
    description: "Build the project",
    parameters: objectOf({}),
    async run(_args, { files }) {
      const prices = (await files.read("src/price.txt")).text.trim().split("\n");
      await files.write("dist/shop.json", `${JSON.stringify({ prices })}\n`);
      return { text: "built dist/shop.json", exitCode: 0 };
    },
  },
  deploy: {
    description: "Deploy the build to production",
    parameters: objectOf({}),
    async run(_args, { files }) {
      const built = await files.read("dist/shop.json").catch(() => undefined);
      if (built === undefined) return { text: "there is no build", exitCode: 1 };
      await files.write("production/shop.json", built.text);
      return { text: "the shop is live", exitCode: 0 };
    },
  },
};

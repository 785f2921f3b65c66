import type { Plugin } from "@opencode-ai/plugin";
import { conductPlugin } from "../../src/edge/adapters/opencode/plugin.ts";

/** Holds the adapter's own types of OpenCode's plugin interface against the real ones: `tsc -p compat` checks it. */
export const plugin: Plugin = conductPlugin();

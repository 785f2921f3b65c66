import { hookCodex } from "../../src/apps/cli/hook-codex.ts";

process.exitCode = await hookCodex();

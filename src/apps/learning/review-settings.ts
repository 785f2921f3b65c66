import type { ConfigUsed } from "../../edge/host/daemon/daemon-agents.ts";
import { loadConfigFile } from "../../edge/host/opening/load-config.ts";
import { conductHome } from "../../edge/host/workspace/conduct-home.ts";
import { findConfig } from "../../edge/host/workspace/find-config.ts";
import type { ReviewConfig } from "../../engine/agent/config/config-schema.ts";
import type { ReviewOptions } from "./open-review.ts";

export type ReviewSettings = Pick<ReviewOptions, "thresholds" | "reviewer"> & {
  readonly config?: ConfigUsed;
  /** The `review` of the file. */
  readonly written?: ReviewConfig;
};

/** Thresholds and the reviewing model. A review covers the sessions of all folders, so it uses the gateway's file. */
export async function reviewSettings(env: NodeJS.ProcessEnv): Promise<ReviewSettings> {
  const { base } = findConfig({ home: conductHome(env) });
  const config: ConfigUsed = { file: base?.file, from: base?.from ?? "built-in", faults: [] };
  if (base === undefined) return { config };
  const { file } = base;
  const loaded = await loadConfigFile(file);
  if ("error" in loaded) throw new Error(loaded.error.message);
  if ("faults" in loaded.parsed) throw new Error(`${file} has faults: conduct config check ${file}`);
  const { review, models } = loaded.parsed;
  const { modelOverrides, piModels } = await import("../../edge/host/node/pi-models.ts");
  return {
    config,
    written: review,
    thresholds: review.threshold === undefined ? undefined : { confidence: review.threshold },
    reviewer:
      review.model === undefined
        ? undefined
        : { model: review.model, models: piModels({ models: modelOverrides(models, env) }) },
  };
}

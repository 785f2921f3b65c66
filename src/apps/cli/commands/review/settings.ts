import { existsSync } from "node:fs";
import { join } from "node:path";
import { loadConfigFile } from "../../../../edge/host/opening/load-config.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import type { ReviewOptions } from "../../../learning/open-review.ts";

/** The review settings of the operator's own conduct.yaml: thresholds and the reviewing model. */
export async function reviewSettings(env: NodeJS.ProcessEnv): Promise<Pick<ReviewOptions, "thresholds" | "reviewer">> {
  const file = join(conductHome(), "conduct.yaml");
  if (!existsSync(file)) return {};
  const loaded = await loadConfigFile(file);
  if ("error" in loaded) throw new Error(loaded.error.message);
  if ("faults" in loaded.parsed) throw new Error(`${file} has faults: conduct config check ${file}`);
  const { review, models } = loaded.parsed;
  const { piModels } = await import("../../../../edge/host/node/pi-models.ts");
  const own = Object.entries(models).map(([name, { key, ...rest }]) => {
    const apiKey = key === undefined ? undefined : env[key];
    return [name, { ...rest, ...(apiKey === undefined ? {} : { apiKey }) }] as const;
  });
  return {
    thresholds: review.threshold === undefined ? undefined : { confidence: review.threshold },
    reviewer:
      review.model === undefined
        ? undefined
        : { model: review.model, models: piModels({ models: Object.fromEntries(own) }) },
  };
}

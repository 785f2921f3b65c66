import { mergeConfig } from "vitest/config";
import shared from "../vitest.config.ts";

/** The console in a real browser, against a real gateway: `npm run test:console`. Minutes, so it is not in `npm test`. */
const config = mergeConfig(shared, { test: { coverage: { enabled: false }, maxWorkers: 2 } });
config.test.include = ["console/**/*.test.ts"];
config.test.projects = undefined;

export default config;

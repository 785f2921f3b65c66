import { toldSuite } from "../src/edge/adapters/loop/told-suite.ts";
import { claudeDriver } from "./claude/driver.ts";
import { codexDriver } from "./codex/driver.ts";
import { piDriver } from "./pi/driver.ts";

for (const driver of [piDriver(), claudeDriver(), codexDriver()]) toldSuite(driver);

import { loopDriver } from "./loop-driver.ts";
import { toldSuite } from "./prompt-suite.ts";

toldSuite(loopDriver());

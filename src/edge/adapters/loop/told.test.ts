import { loopDriver } from "./driver.ts";
import { toldSuite } from "./told-suite.ts";

toldSuite(loopDriver());

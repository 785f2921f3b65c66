import { shippedSuite } from "../shipped/suite.ts";
import { opencodeRunDriver } from "./driver.ts";

shippedSuite(opencodeRunDriver());

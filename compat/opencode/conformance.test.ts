import { shippedSuite } from "../shipped/suite.ts";
import { opencodeDriver } from "./driver.ts";

shippedSuite(opencodeDriver());

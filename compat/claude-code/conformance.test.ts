import { shippedSuite } from "../shipped/suite.ts";
import { claudeCodeDriver } from "./driver.ts";

shippedSuite(claudeCodeDriver());

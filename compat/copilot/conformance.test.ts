import { shippedSuite } from "../shipped/suite.ts";
import { copilotDriver } from "./driver.ts";

shippedSuite(copilotDriver());

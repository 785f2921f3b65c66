import { shippedSuite } from "../shipped/suite.ts";
import { acpDriver } from "./driver.ts";

shippedSuite(acpDriver());

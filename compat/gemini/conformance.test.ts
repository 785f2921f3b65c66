import { shippedSuite } from "../shipped/suite.ts";
import { geminiDriver } from "./driver.ts";

shippedSuite(geminiDriver());

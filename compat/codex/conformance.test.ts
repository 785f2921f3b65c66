import { shippedSuite } from "../shipped/suite.ts";
import { codexDriver } from "./driver.ts";

shippedSuite(codexDriver());

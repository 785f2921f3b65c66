export { acpCapabilities } from "../capabilities.ts";
export { type AcpEnd, type AcpProxyOptions, runAcpProxy } from "./proxy.ts";

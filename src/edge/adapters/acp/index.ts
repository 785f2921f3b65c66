/**
 * Conduct between an ACP client and an agent.
 * @module acp
 */

export { acpCapabilities } from "../capabilities.ts";
export { type AcpEnd, type AcpProxyOptions, runAcpProxy } from "./proxy.ts";

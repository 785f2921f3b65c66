import { memoryStores } from "../../../edge/stores/home-stores.ts";
import type { GatewayStores } from "../stores.ts";

/** Everything in memory. */
export const memoryGatewayStores: () => GatewayStores = memoryStores;

import { takeGatewayLock } from "../gateway-lock.ts";
import { thisGateway } from "../running-gateway.ts";

/** A process that takes the lock of the store in its argument, says so, and stays. */
const place = JSON.parse(process.argv[2] ?? "");
await takeGatewayLock(place, { self: thisGateway(place, Date.now()), report: (line) => console.error(line) });
console.log("held");
setInterval(() => undefined, 1_000);

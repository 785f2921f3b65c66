import { expect, it } from "vitest";
import { CHANNELS as OF_THE_ENGINE } from "../../../src/engine/agent/config/contributor-problems.ts";
import { CHANNELS } from "./channels.ts";

it("KF-7 the console offers the channels by the names that the gateway uses", () => {
  expect(CHANNELS).toEqual(OF_THE_ENGINE);
});

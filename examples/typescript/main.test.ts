import { expect, it } from "vitest";
import { runExample } from "../run-example.ts";

it("EX-2 the TypeScript example denies, learns from the result, and refuses the early stop", () => {
  const { status, output } = runExample("typescript/main.ts");
  expect(output).toBe(`user      I want my money back. I am Ada.
assistant [refund]
result    Denied by look-up-first: A refund of 250 needs a look at ada first.
          Missing: find_customer ada (not looked up in this session)
          Next: Call find_customer with ada, then repeat the refund.
          2 attempts left before it is withdrawn for this turn.
assistant [find_customer]
result    {"customer":"ada","since":2019}
assistant All done!
user      Refund it first.
assistant [refund]
result    refunded 250
assistant Refunded.
ended: complete
`);
  expect(status).toBe(0);
});

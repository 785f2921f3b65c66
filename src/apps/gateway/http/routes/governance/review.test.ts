import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { httpWorld } from "../../../test/test-http.ts";

describe("the review over the API", () => {
  it("RVW-30: a user's wish in the chat is proposed with a quote, shown in the digest, promoted, and part of the next prompt", async () => {
    const folder = await mkdtemp(join(tmpdir(), "conduct-digest-"));
    const world = await httpWorld({ review: { config: { digest: { file: join(folder, "digest.md") } } } });
    onTestFinished(async () => {
      await world.close();
      await rm(folder, { recursive: true, force: true });
    });
    const { secret } = await world.person("olga", "operator");
    const uma = await world.person("uma", "user");
    const ask = async (method: string, path: string, body?: unknown, token = secret) => {
      const response = await fetch(`${world.gateway.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const said = "Please stop sending me long status reports, always keep it short.";
    const { body: session } = await ask("POST", "/api/sessions", { agent: "demo" }, uma.secret);
    await ask("POST", `/api/sessions/${session.id}/messages?wait=true`, { text: said }, uma.secret);
    expect((await ask("POST", "/api/review/run")).body.outcome).toBe("ran");
    const { body: digest } = await ask("GET", "/api/review/digest");
    const items = digest.items as readonly { candidate: { id: string; evidence: readonly string[]; scope: string } }[];
    expect(items.length).toBeGreaterThan(0);
    const [{ candidate } = { candidate: { id: "", evidence: [], scope: "" } }] = items;
    expect(candidate).toMatchObject({ scope: "user:uma", evidence: [expect.stringContaining(said.slice(7, 30))] });
    expect(digest.markdown).toContain(candidate.id);
    expect(await readFile(join(folder, "digest.md"), "utf8")).toContain(candidate.id);
    expect(await ask("GET", "/api/review/runs")).toMatchObject({
      body: { total: 1, runs: [{ proposed: expect.arrayContaining([candidate.id]) }], nextAt: expect.any(Number) },
    });
    const before = await ask("GET", "/api/contract?user=uma");
    expect(before.body).toMatchObject({ contract: { directives: [] } });
    expect((await ask("POST", `/api/candidates/${candidate.id}/promote`, {})).status).toBe(200);
    const after = await ask("GET", "/api/contract?user=uma");
    expect(after.body).toMatchObject({
      contract: { directives: [{ candidate: candidate.id, source: "daily-review" }] },
    });
    const again = await ask("POST", "/api/review/run");
    expect(again.status).toBe(200);
  });
});

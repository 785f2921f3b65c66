import { describe, expect, it, vi } from "vitest";
import { asObject, asString } from "../../src/base/kernel/json.ts";
import type { ToolPolicy } from "../../src/base/words/policy.ts";
import { PI_EXTENSION } from "../../src/edge/adapters/pi-extension/install.ts";
import { defineAgent } from "../../src/engine/agent/define-agent.ts";
import type { Conduct } from "../../src/engine/session/conduct.ts";
import { bash, eventsOf, given, useScenes } from "./play.ts";
import type { Dialogs } from "./rpc.ts";

const scene = useScenes();
const plain = defineAgent({ name: "plain", soul: "Be PLAIN-7." });
const done = { text: "Done." };
const noticesOf = (served: Parameters<typeof eventsOf>[0]) => eventsOf(served, "notice").map(({ notice }) => notice);

describe("questions to the person at Pi", () => {
  const askFirst: ToolPolicy = {
    name: "ask-first",
    check: ({ args }) =>
      args.command === "touch ran.txt" ? { kind: "ask", question: "May it run?" } : { kind: "allow" },
  };
  const cautious = defineAgent({ name: "cautious", policies: [askFirst] });
  const extension = `import { conductExtension } from ${JSON.stringify(PI_EXTENSION.replace("extension.ts", "adapter.ts"))};
import { personHost } from ${JSON.stringify(`${import.meta.dirname}/person-host.ts`)};
export default conductExtension({ host: personHost(process.env.CONDUCT_SOCKET) });
`;

  /** What a session is asked beyond the moments. */
  function answering(request: object, conduct: Conduct): Promise<object> | undefined {
    const { moments, does, args } = request as { moments: { id: string }; does: string; args: never[] };
    const session = conduct.find(moments.id);
    const [first, second, third] = args as [never, never, never];
    if (does === "onCall") return session?.onCall(first).then((value) => ({ value }));
    if (does === "resolve") return Promise.resolve({ value: session?.resolve(first, second, third) ?? null });
    return undefined;
  }

  it.each<{ title: string; answer: ReturnType<Dialogs>; text: string; ran: boolean; told: readonly string[] }>([
    { title: "yes", answer: { value: "Yes, this once" }, text: "(no output)", ran: true, told: ["yes"] },
    { title: "no", answer: { value: "No" }, text: "A person denied this", ran: false, told: ["no"] },
    { title: "no answer", answer: { cancelled: true }, text: "Waiting for a person's approval", ran: false, told: [] },
  ])("PE-10 the person at Pi decides on a question: $title", async ({ answer, text, ran, told }) => {
    const { server, daemon, pi, files } = await scene([{ calls: [bash("call_1", "touch ran.txt")] }, done], {
      extension,
    });
    const served = await daemon(cautious, { instead: answering });
    const titles: string[] = [];
    const started = pi([], (request) => {
      titles.push(asString(request.title));
      return answer;
    });
    await started.prompt("go");
    expect(titles).toEqual([expect.stringMatching(/^Conduct \(ask-first\): May it run\?\nshell .*touch ran\.txt/s)]);
    expect(given(server.requests, "call_1")).toContain(text);
    expect(files().has("ran.txt")).toBe(ran);
    expect(eventsOf(served, "approval").map((event) => event.answer)).toEqual(told);
  });

  it("PE-10 a question is dismissed when its run ends, and the call is settled", async () => {
    const { server, daemon, pi, files } = await scene([{ calls: [bash("call_1", "touch ran.txt")] }, done], {
      extension,
    });
    const served = await daemon(cautious, { instead: answering });
    const started = pi([], () => undefined);
    const asked = started.until((record) => record.type === "extension_ui_request" && record.method === "select");
    const turn = started.prompt("go");
    await asked;
    await started.send({ type: "abort" });
    await turn;
    expect(server.requests).toHaveLength(1);
    expect(files().has("ran.txt")).toBe(false);
    expect(eventsOf(served, "result").map(({ outcome }) => outcome)).toEqual(["cancelled"]);
  });
});

describe("messages", () => {
  it("PE-11 a message typed while the agent works begins a turn, without its modes and with an updated prompt", async () => {
    const { server, daemon, pi } = await scene([{ calls: [bash("call_1", "sleep 1")] }, done]);
    const served = await daemon(plain, { session: { sender: { id: "1", role: "operator" } } });
    const started = pi();
    const running = started.until((record) => record.type === "tool_execution_start");
    const turn = started.prompt("go");
    await running;
    await started.send({ type: "steer", message: "/think:high KEEP: short notes\n\nfaster" });
    await turn;
    const [first, second] = server.requests;
    expect(second?.lastUserText).toBe("KEEP: short notes\n\nfaster");
    expect(second?.system).toContain("- KEEP: short notes");
    expect([first?.thinking, second?.thinking]).toEqual(["off", "16384"]);
    expect(eventsOf(served, "message").map(({ turn: at }) => at)).toEqual([1, 2]);
  });

  it("PE-12 the level of /think lasts for the run; afterwards, and in a resumed session, Pi's own level applies", async () => {
    const { server, daemon, pi } = await scene([done, done, done]);
    await daemon(plain);
    const started = pi(["--thinking", "low"]);
    await started.prompt("/think:high one");
    expect(asObject((await started.send({ type: "get_state" })).data).thinkingLevel).toBe("low");
    await started.prompt("two");
    await started.close();
    await pi(["--continue"]).prompt("/think off three");
    expect(server.requests.map(({ thinking }) => thinking)).toEqual(["16384", "16384", "2048"]);
  });
});

describe("turns and sessions", () => {
  it("PE-13 Conduct can end the turn even if another call of the same response ran", async () => {
    const stubborn = defineAgent({
      name: "stubborn",
      policies: [{ name: "no", check: ({ args }) => (args.command === "touch no.txt" ? deny() : { kind: "allow" }) }],
    });
    const batch = (at: number) => ({
      calls: [bash(`ok_${at}`, `touch ok${at}.txt`), bash(`no_${at}`, "touch no.txt")],
    });
    const { server, daemon, pi, files } = await scene([...Array.from({ length: 12 }, (_, at) => batch(at)), done]);
    const served = await daemon(stubborn);
    const started = pi();
    await started.prompt("go");
    const asked = server.requests.length;
    expect(eventsOf(served, "stop").map(({ status }) => status)).toEqual(["ended-by-policy"]);
    expect(asked).toBeLessThan(10);
    // The response with the call that ended it is the last one that the model was asked for.
    expect(eventsOf(served, "call").at(-1)?.call.id).toBe(`no_${asked - 1}`);
    expect(files().has("no.txt")).toBe(false);
    server.setScript([done]);
    await started.prompt("something else");
    expect(server.requests).toHaveLength(asked + 1);
  });

  it("PE-14 Pi reports the model with its window, the usage of each response, and the reply", async () => {
    const { daemon, pi } = await scene([{ calls: [bash("call_1", "true")] }, done], { window: 50_000 });
    const served = await daemon(plain);
    await pi().prompt("go");
    // Notices are told beside the run: nobody waits for the last one.
    await vi.waitFor(() => expect(noticesOf(served).at(-1)).toEqual({ kind: "reply", text: "Done." }), 20_000);
    const notices = noticesOf(served);
    expect(notices).toContainEqual({ kind: "started", adapter: "pi", model: "scripted/scripted", window: 50_000 });
    expect(notices.filter(({ kind }) => kind === "usage")).toHaveLength(2);
  });

  it("PE-15 a new session in Pi is a new Conduct session, and the session that Pi saves is not ended", async () => {
    const { server, daemon, pi } = await scene([done, done, done]);
    const served = await daemon(plain);
    const started = pi();
    await started.prompt("/verbose one");
    await started.send({ type: "new_session" });
    await started.prompt("two");
    await started.close();
    const again = pi(["--continue"]);
    await again.prompt("three");
    const messages = eventsOf(served, "message");
    expect(new Set(messages.map(({ session }) => session)).size).toBe(2);
    expect(messages.map(({ modes }) => modes.verbose)).toEqual([true, false, false]);
    expect(messages[2]?.session).toBe(messages[1]?.session);
    expect(noticesOf(served).some(({ kind }) => kind === "ended")).toBe(false);
    expect(server.requests).toHaveLength(3);
  });

  it("PE-16 Pi's own compaction in the middle of a run does not remove Conduct's prompt", async () => {
    const full = (at: number) => ({ calls: [bash(`call_${at}`, `echo ${at}`)], usage: { input: 11_000, output: 5 } });
    const settings = { compaction: { enabled: true, reserveTokens: 10_000, keepRecentTokens: 1 } };
    const script = [full(1), full(2), full(3), done];
    const { server, daemon, pi } = await scene(script, { window: 12_000, settings });
    const served = await daemon(plain);
    await pi().prompt("go");
    expect(server.sideRequests.length).toBeGreaterThan(0);
    expect(noticesOf(served).filter(({ kind }) => kind === "compacted").length).toBeGreaterThan(0);
    for (const { system } of server.requests) expect(system).toContain("PLAIN-7");
  });
});

function deny() {
  return { kind: "deny", code: "policy", reason: "Never.", next: "Do something else." } as const;
}

import { startSteadyModel, steadyScript } from "./steady-script.ts";

/**
 * A steady model in a process of its own, for runtimes that share this one: `node steady-model.ts CALLS TOOL INPUT`. Its address goes
 * to stdout, and after each turn what that took; it ends with its stdin.
 */
const [, , calls = "1", name = "", input = "{}"] = process.argv;
const script = steadyScript(Number(calls), (at) => ({ name, input: JSON.parse(input.replaceAll("{n}", String(at))) }));
const model = await startSteadyModel({
  ...script,
  reply(request) {
    const reply = script.reply(request);
    if (reply.calls === undefined) process.stdout.write(`${script.spentMs()}\n`);
    return reply;
  },
});
process.stdout.write(`${model.url}\n`);
process.stdin.resume().on("end", () => void model.close());

import { describe, expect, it } from "vitest";
import { channelProfile } from "./channel-profiles.ts";

describe("channel profiles", () => {
  it.each([
    ["web", true, "Markdown"],
    ["telegram", true, "Telegram"],
    ["scheduled", false, "automated run"],
    ["cli", true, "terminal"],
    ["Telegram", true, "Telegram"],
  ])("I01: the channel %s has its own guidance; interactive: %s", (name, interactive, words) => {
    const profile = channelProfile(name);
    expect(profile).toMatchObject({ name, interactive });
    expect(profile.guidance).toContain(words);
    expect(profile.guidance.includes("ask nothing")).toBe(!interactive);
  });

  it.each(["fax", "constructor", "__proto__", ""])(
    "G07: the unknown channel %o gets plain-text guidance and is not interactive",
    (name) => {
      const profile = channelProfile(name);
      expect(profile).toMatchObject({ name: name || "unknown", interactive: false });
      expect(profile.guidance).toContain("plain text");
      expect(profile.guidance).not.toContain("Markdown");
      expect(profile.guidance).toContain("ask nothing");
    },
  );

  it.each([
    ["web", { web: { guidance: "Answer in French." } }, true, "Answer in French."],
    ["web", { web: { interactive: false } }, false, "Markdown"],
    ["mail", { Mail: { guidance: "Write a letter.", interactive: true } }, true, "Write a letter."],
    ["mail", { mail: { guidance: "Write a letter." } }, false, "Write a letter."],
    ["mail", { mail: { interactive: true } }, true, "plain text"],
    ["mail", { mail: { guidance: "  " } }, false, "plain text"],
  ])("G07: the channel %s uses the declared profile %o", (name, declared, interactive, words) => {
    const profile = channelProfile(name, declared);
    expect(profile.interactive).toBe(interactive);
    expect(profile.guidance).toContain(words);
    expect(profile.guidance.includes("ask nothing")).toBe(!interactive);
  });
});

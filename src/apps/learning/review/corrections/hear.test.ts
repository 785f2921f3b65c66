import { describe, expect, it } from "vitest";
import { foldSentence } from "./fold-sentence.ts";
import { explainHearing, hear, typeOf } from "./hear.ts";
import { readSentence } from "./sentence-features.ts";

const heard = (text: string) => hear(readSentence(foldSentence(text, text)).features);

describe("hearing", () => {
  it.each([
    ["use tabs", "use tabs from now on"],
    ["the replies are long", "your replies are too long"],
    ["do you stop sending mails?", "could you stop sending mails?"],
    ["she never uses emojis", "never use emojis"],
    ["run the tests on main.ts", "run the tests before you push"],
    ["thanks", "thanks, keep it up with the summaries"],
  ])("LRN-C67 '%s' is less of a wish than '%s'", (less, more) => {
    expect(heard(less).confidence).toBeLessThan(heard(more).confidence);
  });

  it.each([
    ["stop", "please stop using emojis"],
    ["less", "your answers are too long"],
    ["more", "be more careful with dates"],
    ["start", "always run the linter first"],
    ["keep", "I love the summaries, keep doing that"],
  ])("LRN-C68 %s is what '%s' is", (type, text) => {
    expect(typeOf([heard(text)])).toBe(type);
  });

  it("LRN-C69 sentences that stand together are weighed together, and no sentence is sure", () => {
    const patient = heard("you're patient with my dad");
    expect(typeOf([patient, heard("please keep it that way"), heard("keep it up")])).toBe("keep");
    expect(heard("from now on always stop sending me emojis, never do that again").confidence).toBeLessThanOrEqual(
      0.93,
    );
  });

  it("LRN-C70 the reasons are those features that weigh something, heaviest first", () => {
    const weights = explainHearing(readSentence(foldSentence("use tabs from now on", "use tabs from now on")).features);
    expect(weights.map(([name]) => name)).toContain("asks-lasting");
    expect(weights).toEqual(weights.toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a)));
  });

  it.each([
    "Bitte antworte ab jetzt immer auf Deutsch und nie auf Englisch.",
    "Hör bitte auf, mir ständig E-Mails zu schicken.",
    "S'il te plaît, arrête de m'envoyer des messages.",
    "Ne fais plus jamais ça sans demander.",
    "Por favor, deja de usar emojis en tus respuestas.",
    "Nunca borres archivos sin preguntar.",
    "Smetti di scusarti in ogni messaggio.",
    "Gebruik alsjeblieft altijd kortere zinnen.",
    "Proszę, nie wysyłaj mi powiadomień w nocy.",
    "Lütfen bana her zaman Türkçe cevap ver.",
    "请不要再用表情符号了。",
    "これからはもっと短く答えてください。",
    "من فضلك توقف عن إرسال الرسائل",
    "Перестань извиняться в каждом сообщении.",
  ])("LRN-C15 '%s' is in another language, and nothing", (text) => {
    expect(heard(text).confidence).toBeLessThan(0.5);
  });
});

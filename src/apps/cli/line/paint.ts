const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  amber: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export type Style = keyof typeof STYLES;

/** Dresses a text, or leaves it as it is where there are no colours. Colour never says what the words do not. */
export type Paint = (style: Style, text: string) => string;

export function paintFor(colour: boolean): Paint {
  return (style, text) => {
    if (!colour || text === "") return text;
    const [on, off] = STYLES[style];
    return `\u001b[${on}m${text}\u001b[${off}m`;
  };
}

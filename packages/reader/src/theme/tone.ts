const named = ['green', 'blue', 'red', 'orange', 'yellow', 'purple', 'pink', 'violet', 'cyan'];
const ofTheme = ['primary', 'info', 'success', 'warning', 'danger', 'tint'];
const tones = new Map([
  ...named.map((name) => [name, name] as const),
  ...ofTheme.map((name) => [`$${name}`, name === 'tint' ? 'primary' : name] as const),
]);

/** The name of a colour that a document may name, as the styles have it; undefined where it is the usual one, or none. */
export const toneOf = (color: unknown): string | undefined =>
  typeof color === 'string' ? tones.get(color.toLowerCase()) : undefined;

/** The colours of one scheme by the names of their properties. */
export type SchemeColors = Record<string, string>;

/** Properties of two schemes, of which the one that is shown counts. */
export const themed = (light: SchemeColors, dark: SchemeColors): string =>
  Object.entries(light)
    .map(([name, color]) => `--${name}:light-dark(${color},${dark[name] ?? color})`)
    .join(';');

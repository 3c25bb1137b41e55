type Parts = [red: number, green: number, blue: number];

/** The named colors of texts, dark enough to be read on white. */
const TEXTS: Record<string, Parts> = {
  red: [0.78, 0.13, 0.13],
  danger: [0.78, 0.13, 0.13],
  green: [0.1, 0.5, 0.25],
  success: [0.1, 0.5, 0.25],
  blue: [0.1, 0.35, 0.78],
  info: [0.1, 0.35, 0.78],
  primary: [0.1, 0.35, 0.78],
  orange: [0.78, 0.4, 0.02],
  warning: [0.72, 0.47, 0.02],
  yellow: [0.62, 0.5, 0.02],
  purple: [0.48, 0.2, 0.65],
  violet: [0.55, 0.25, 0.7],
  pink: [0.78, 0.2, 0.5],
  cyan: [0.02, 0.5, 0.58],
  tint: [0.35, 0.4, 0.48],
  gray: [0.42, 0.45, 0.5],
  grey: [0.42, 0.45, 0.5],
};
/** How much of a named color is in a ground of it. */
const GROUND_SHARE = 0.22;

/** The color of a text by its name or `#rrggbb`, as a PDF writes it; undefined for one that is not known. */
export const textColor = (css: string): string | undefined => written(named(css) ?? hexParts(css));

/** The color of the ground of a text: of a name a pale one. */
export function groundColor(css: string): string | undefined {
  const parts = named(css);
  return written(parts ? (parts.map((part) => 1 - (1 - part) * GROUND_SHARE) as Parts) : hexParts(css));
}

const named = (css: string): Parts | undefined =>
  Object.hasOwn(TEXTS, css.toLowerCase()) ? TEXTS[css.toLowerCase()] : undefined;

function hexParts(css: string): Parts | undefined {
  const digits = /^#(?:([\da-f]{3})|([\da-f]{6}))(?:[\da-f]{1,2})?$/i.exec(css);
  const six = digits?.[2] ?? digits?.[1]?.replace(/./g, '$&$&');
  const [red, green, blue] = six?.match(/../g)?.map((pair) => Number.parseInt(pair, 16) / 255) ?? [];
  return red === undefined || green === undefined || blue === undefined ? undefined : [red, green, blue];
}

const written = (parts: Parts | undefined): string | undefined =>
  parts?.map((part) => String(Number(part.toFixed(3)))).join(' ');

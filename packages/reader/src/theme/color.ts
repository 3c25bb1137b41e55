import type { SiteCustomization } from '@octavo/schema';

/** A color in OKLCH: lightness from 0 to 1, chroma, and hue in radians. */
interface Oklch {
  l: number;
  c: number;
  h: number;
}

type Triple = [number, number, number];

/** Converts `#rgb` or `#rrggbb` to linear light from 0 to 1. */
function toLinear(hex: string): Triple {
  const digits = hex.length === 4 ? [...hex.slice(1)].map((digit) => digit + digit).join('') : hex.slice(1);
  const getChannel = (offset: number) => {
    const value = Number.parseInt(digits.slice(offset, offset + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [getChannel(0), getChannel(2), getChannel(4)];
}

function toHex(linear: Triple): string {
  const getChannel = (value: number) => {
    const bounded = Math.min(1, Math.max(0, value));
    const gamma = bounded <= 0.0031308 ? bounded * 12.92 : 1.055 * bounded ** (1 / 2.4) - 0.055;
    return Math.round(gamma * 255)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${linear.map(getChannel).join('')}`;
}

/** Uses the matrices of Björn Ottosson's OKLab. */
function toOklch(hex: string): Oklch {
  const [r, g, b] = toLinear(hex);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const blue = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return {
    l: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    c: Math.hypot(a, blue),
    h: Math.atan2(blue, a),
  };
}

function oklchToHex({ l: lightness, c, h }: Oklch): string {
  const [a, b] = [c * Math.cos(h), c * Math.sin(h)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return toHex([
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]);
}

function getLuminance(hex: string): number {
  const [r, g, b] = toLinear(hex);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Returns the WCAG 2 contrast of two colors, from 1 to 21. */
export function getContrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [getLuminance(one), getLuminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

const steps = 50;

/**
 * Changes the lightness of a color until it has the required contrast on all backgrounds, and keeps its hue. Returns
 * black or white if no lightness is sufficient.
 */
export function makeReadable(color: string, backgrounds: string[], minContrast = 4.5): string {
  const isReadable = (hex: string) => backgrounds.every((background) => getContrast(hex, background) >= minContrast);
  if (isReadable(color)) return color.toLowerCase();
  const { l, c, h } = toOklch(color);
  const darken = backgrounds.every((background) => getLuminance(background) > 0.18);
  for (let step = 1; step <= steps; step += 1) {
    const lightness = darken ? l - (l * step) / steps : l + ((1 - l) * step) / steps;
    const hex = oklchToHex({ l: lightness, c: c * (1 - step / (2 * steps)), h });
    if (isReadable(hex)) return hex;
  }
  return darken ? '#000000' : '#ffffff';
}

/** Returns a color of the same lightness in another hue, with limited chroma. */
function applyTint(color: string, tintColor: string, chroma: number): string {
  const { c, h } = toOklch(tintColor);
  return oklchToHex({ l: toOklch(color).l, c: Math.min(c, chroma), h });
}

/** Returns white if it is readable on a color (contrast of at least 4.5), otherwise a readable color near black. */
export const getReadableTextColor = (color: string): string =>
  getContrast('#ffffff', color) >= 4.5 ? '#ffffff' : makeReadable('#111111', [color]);

/** Mixes a share (0 to 1) of a color into another. */
export function mixColors(color: string, mixed: string, part: number): string {
  const [one, other] = [toLinear(color), toLinear(mixed)];
  return toHex(
    one
      .map((value, index) => Math.cbrt(value) * part + Math.cbrt(other[index] ?? 0) * (1 - part))
      .map((v) => v ** 3) as Triple,
  );
}

type Styling = SiteCustomization['styling'];
export type ColorScheme = 'light' | 'dark';

/** Background, text and border colors. */
interface Neutrals {
  page: string;
  /** Background of code and other separate blocks. */
  surface: string;
  /** Background of popovers and menus. */
  raised: string;
  border: string;
  text: string;
  muted: string;
}

const createNeutralColors =
  (page: string, surface: string, raised: string) => (border: string, text: string, muted: string) => ({
    ...{ page, surface, raised, border, text, muted },
  });

const clean = {
  light: createNeutralColors('#ffffff', '#f4f5f7', '#ffffff')('#dfe2e7', '#1d232c', '#565f6c'),
  dark: createNeutralColors('#14161a', '#1e2127', '#1e2127')('#30353d', '#e4e7eb', '#a3abb7'),
};

/**
 * The neutral colors of each theme. Compared with the theme `clean`, adjacent areas have less contrast in `muted` and
 * more in `bold`.
 */
const themeNeutrals: Record<Styling['theme'], Record<ColorScheme, Neutrals>> = {
  clean,
  gradient: clean,
  muted: {
    light: createNeutralColors('#f4f5f7', '#eaecf0', '#fbfbfc')('#dcdfe5', '#2b323c', '#57606c'),
    dark: createNeutralColors('#1c1f24', '#252930', '#272b32')('#343a43', '#d5d9df', '#a6aeb9'),
  },
  bold: {
    light: createNeutralColors('#ffffff', '#eef0f3', '#ffffff')('#b9c0ca', '#0d1117', '#454d59'),
    dark: createNeutralColors('#0b0d10', '#191c21', '#191c21')('#4a525e', '#f6f7f9', '#b9c0ca'),
  },
};

/** The maximum OKLCH chroma that each color takes from the tint. */
const chroma: Record<keyof Neutrals, number> = {
  ...{ page: 0.008, surface: 0.016, raised: 0.008 },
  ...{ border: 0.03, text: 0.03, muted: 0.04 },
};

const mapNeutrals = (neutrals: Neutrals, change: (color: string, name: keyof Neutrals) => string): Neutrals =>
  Object.fromEntries(
    Object.entries(neutrals).map(([name, color]) => [name, change(color, name as keyof Neutrals)]),
  ) as unknown as Neutrals;

/** Returns the neutral colors of a customization, from its theme and tint, with a matching background if requested. */
export function getNeutrals({ theme, tint, background, primaryColor }: Styling, scheme: ColorScheme): Neutrals {
  const neutrals = themeNeutrals[theme][scheme];
  const toned =
    tint === undefined
      ? neutrals
      : mapNeutrals(neutrals, (color, name) => applyTint(color, tint.color[scheme], chroma[name]));
  if (background === 'plain') return toned;
  const part = scheme === 'light' ? 0.03 : 0.06;
  const matchColor = (color: string) => mixColors(primaryColor[scheme], color, part);
  return {
    ...toned,
    page: matchColor(toned.page),
    surface: matchColor(toned.surface),
    raised: matchColor(toned.raised),
  };
}

/** Returns the top color of the gradient theme's page background. */
export const getGradient = ({ theme, primaryColor }: Styling, scheme: ColorScheme, page: string): string | undefined =>
  theme === 'gradient' ? mixColors(primaryColor[scheme], page, scheme === 'light' ? 0.16 : 0.24) : undefined;

/** The custom properties of one color scheme. */
export type SchemeColors = Record<string, string>;

/** Parses and serializes a color, so that a stored text never becomes part of a rule unchanged. */
const normalizeColor = (hex: string): string => toHex(toLinear(hex));

/** Returns CSS for the custom properties of both color schemes. The browser applies those of the active scheme. */
export const toCssProperties = (light: SchemeColors, dark: SchemeColors): string =>
  Object.entries(light)
    .map(([name, color]) => `--${name}:light-dark(${normalizeColor(color)},${normalizeColor(dark[name] ?? color)})`)
    .join(';');

/** A colour in OKLCH: lightness of 0 to 1, chroma, and hue in radians. */
interface Oklch {
  l: number;
  c: number;
  h: number;
}

type Triple = [number, number, number];

/** `#rgb` or `#rrggbb` as linear light of 0 to 1. */
function linearOf(hex: string): Triple {
  const digits = hex.length === 4 ? [...hex.slice(1)].map((digit) => digit + digit).join('') : hex.slice(1);
  const channel = (at: number) => {
    const value = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(0), channel(2), channel(4)];
}

function hexOf(linear: Triple): string {
  const channel = (value: number) => {
    const bounded = Math.min(1, Math.max(0, value));
    const gamma = bounded <= 0.0031308 ? bounded * 12.92 : 1.055 * bounded ** (1 / 2.4) - 0.055;
    return Math.round(gamma * 255)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${linear.map(channel).join('')}`;
}

/** The matrices of Björn Ottosson's OKLab. */
function oklchOf(hex: string): Oklch {
  const [r, g, b] = linearOf(hex);
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

function hexOfOklch({ l: lightness, c, h }: Oklch): string {
  const [a, b] = [c * Math.cos(h), c * Math.sin(h)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return hexOf([
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]);
}

function luminance(hex: string): number {
  const [r, g, b] = linearOf(hex);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The contrast of two colours, from 1 to 21, as WCAG 2 has it. */
export function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

const steps = 50;

/** A colour of the same hue that can be read on all of these grounds: the nearest in lightness, away from them. */
export function readable(color: string, grounds: string[], least = 4.5): string {
  const reads = (hex: string) => grounds.every((ground) => contrast(hex, ground) >= least);
  if (reads(color)) return color.toLowerCase();
  const { l, c, h } = oklchOf(color);
  const darken = grounds.every((ground) => luminance(ground) > 0.18);
  for (let step = 1; step <= steps; step += 1) {
    const lightness = darken ? l - (l * step) / steps : l + ((1 - l) * step) / steps;
    const hex = hexOfOklch({ l: lightness, c: c * (1 - step / (2 * steps)), h });
    if (reads(hex)) return hex;
  }
  return darken ? '#000000' : '#ffffff';
}

/** A colour of the same lightness in the hue of another one, of at most so much chroma. */
export function tinted(color: string, tint: string, chroma: number): string {
  const { c, h } = oklchOf(tint);
  return hexOfOklch({ l: oklchOf(color).l, c: Math.min(c, chroma), h });
}

/** Black or white, whichever reads better on a colour. */
export const inkOn = (color: string): string =>
  contrast('#ffffff', color) >= 4.5 ? '#ffffff' : readable('#111111', [color]);

/** A colour of which so much, of 0 to 1, is mixed into another. */
export function mixed(color: string, into: string, part: number): string {
  const [one, other] = [linearOf(color), linearOf(into)];
  return hexOf(
    one
      .map((value, index) => Math.cbrt(value) * part + Math.cbrt(other[index] ?? 0) * (1 - part))
      .map((v) => v ** 3) as Triple,
  );
}

const THEME = new Set(['primary', 'info', 'success', 'warning', 'danger', 'tint']);
/** The named colors of the official format, as red, green and blue. */
const NAMED: Record<string, [number, number, number]> = {
  green: [0, 128, 0],
  blue: [0, 0, 255],
  red: [255, 0, 0],
  orange: [255, 165, 0],
  yellow: [255, 255, 0],
  purple: [128, 0, 128],
  pink: [255, 192, 203],
  violet: [238, 130, 238],
  cyan: [0, 255, 255],
};
/** A color is gray if its components differ by less than this. */
const GRAY = 24;

/** Returns the named color nearest to a CSS color; `default` for gray and unknown colors. */
export function getColor(css = 'default'): string {
  const name = css.toLowerCase().replace(/^\$/, '');
  if (THEME.has(name)) return `$${name}`;
  if (Object.hasOwn(NAMED, name)) return name;
  const parts = parseHexColor(name);
  if (parts === undefined || Math.max(...parts) - Math.min(...parts) < GRAY) return 'default';
  const getDistance = (color: number[]): number =>
    color.reduce((sum, part, index) => sum + (part - (parts[index] ?? 0)) ** 2, 0);
  const nearestColor = Object.entries(NAMED).sort(([, one], [, other]) => getDistance(one) - getDistance(other))[0];
  return nearestColor?.[0] ?? 'default';
}

function parseHexColor(css: string): number[] | undefined {
  const digits = /^#(?:([\da-f]{3})|([\da-f]{6}))(?:[\da-f]{1,2})?$/.exec(css);
  const six = digits?.[2] ?? digits?.[1]?.replace(/./g, '$&$&');
  return six?.match(/../g)?.map((pair) => Number.parseInt(pair, 16));
}

import type { Json } from '@octavo/expression';
import { type Mark, type TreeData, textAt } from './document-tree.ts';

const PLAIN = new Set(['bold', 'italic', 'code', 'keyboard', 'strikethrough', 'superscript', 'subscript']);

/** The marks that renderers know. */
export function publishedMarks(marks: Mark[]): Json[] {
  return marks.flatMap((mark): Json[] => {
    if (PLAIN.has(mark.type)) return [{ object: 'mark', type: mark.type }];
    const data = mark.type === 'color' ? colors(mark.data ?? {}) : undefined;
    return data === undefined ? [] : [{ object: 'mark', type: 'color', data }];
  });
}

function colors(data: TreeData): TreeData | undefined {
  const [text, background] = [colorOf(textAt(data, 'text')), colorOf(textAt(data, 'background'))];
  return text === 'default' && background === 'default' ? undefined : { text, background };
}

const THEME = new Set(['primary', 'info', 'success', 'warning', 'danger', 'tint']);
/** The named colors of the family, by red, green and blue. */
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
/** Less apart than this, the parts of a color make a shade of gray. */
const GRAY = 24;

/** The color of the family that is nearest to one of CSS; `default` for grays and what is not known. */
function colorOf(css = 'default'): string {
  const name = css.toLowerCase().replace(/^\$/, '');
  if (THEME.has(name)) return `$${name}`;
  if (Object.hasOwn(NAMED, name)) return name;
  const parts = hexParts(name);
  if (parts === undefined || Math.max(...parts) - Math.min(...parts) < GRAY) return 'default';
  const apart = (named: number[]): number =>
    named.reduce((sum, part, index) => sum + (part - (parts[index] ?? 0)) ** 2, 0);
  const nearest = Object.entries(NAMED).sort(([, one], [, other]) => apart(one) - apart(other))[0];
  return nearest?.[0] ?? 'default';
}

function hexParts(css: string): number[] | undefined {
  const digits = /^#(?:([\da-f]{3})|([\da-f]{6}))(?:[\da-f]{1,2})?$/.exec(css);
  const six = digits?.[2] ?? digits?.[1]?.replace(/./g, '$&$&');
  return six?.match(/../g)?.map((pair) => Number.parseInt(pair, 16));
}

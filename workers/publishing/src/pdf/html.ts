/** An image as a text names it. */
export interface Figure {
  source: string;
  alt: string;
  caption: string;
  width?: string;
}

const UNSHOWN = /<(script|style|template|iframe|object|svg|head|noscript)\b[\s\S]*?(?:<\/\1\s*>|$)/gi;
const IMAGE = /<img\b([^>]{0,4000})>/gi;
const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
  copy: '©',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  rarr: '→',
  larr: '←',
};

/** The texts and images of raw HTML; nothing else of it is looked at. */
export function readHtml(html: string): (string | Figure)[] {
  const shown = html.replace(/<!--[\s\S]*?(?:-->|$)/g, '').replace(UNSHOWN, '');
  const parts: (string | Figure)[] = [];
  let position = 0;
  const putText = (end: number) => {
    const source = shown.slice(position, end).replace(/<\/(?:p|div|li|h\d|tr|table|ul|ol)\s*>|<br\s*\/?>/gi, '\u2029');
    for (const piece of source.replace(/<\/?[a-zA-Z][^>]*>|<[!?][^>]*>/g, '').split('\u2029')) {
      const text = decode(piece).replace(/\s+/g, ' ').trim();
      if (text !== '') parts.push(text);
    }
  };
  for (const found of shown.matchAll(IMAGE)) {
    putText(found.index);
    position = found.index + found[0].length;
    const [source, alt] = [attribute(found[1], 'src'), attribute(found[1], 'alt')];
    if (source !== '') parts.push({ source, alt, caption: '', width: attribute(found[1], 'width') });
  }
  putText(shown.length);
  return parts;
}

function attribute(source = '', name: string): string {
  const [, double, single] = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'i').exec(source) ?? [];
  return decode(double ?? single ?? '');
}

const decode = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{1,8}));/gi, (whole, digits, hex, name) => {
    const code = digits !== undefined ? Number(digits) : hex !== undefined ? Number.parseInt(hex, 16) : undefined;
    if (code !== undefined) return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? whole) : whole;
  });

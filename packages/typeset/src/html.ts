/** An image as a text references it. */
export interface Figure {
  source: string;
  alt: string;
  caption: string;
  width?: string;
  /** Whether the image is scaled to the height of its line. */
  isLineHigh?: boolean;
}

const HIDDEN_ELEMENTS = /<(script|style|template|iframe|object|svg|head|noscript)\b[\s\S]*?(?:<\/\1\s*>|$)/gi;
const BREAK = /^<(?:\/(?:p|div|li|h\d|tr|table|ul|ol)\s*|br\s*\/?)>$/i;
const IMAGE = /^<img\b([^>]{0,4000})>$/i;
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

/** Returns the texts and images of raw HTML. Everything else is ignored. */
export function readHtml(html: string): (string | Figure)[] {
  const visibleHtml = html.replace(/<!--[\s\S]*?(?:-->|$)/g, '').replace(HIDDEN_ELEMENTS, '');
  const parts: (string | Figure)[] = [];
  let text = '';
  const flushText = () => {
    for (const piece of text.split('\u2029')) {
      const words = decode(piece).replace(/\s+/g, ' ').trim();
      if (words !== '') parts.push(words);
    }
    text = '';
  };
  for (const { text: piece, isTag } of splitTags(visibleHtml)) {
    if (!isTag) text += piece;
    else if (BREAK.test(piece)) text += '\u2029';
    const [image, attributes] = (isTag && IMAGE.exec(piece)) || [];
    if (image === undefined) continue;
    flushText();
    const [source, alt] = [getAttribute(attributes, 'src'), getAttribute(attributes, 'alt')];
    const isLineHigh = getAttribute(attributes, 'data-size') === 'line';
    if (source !== '') parts.push({ source, alt, caption: '', width: getAttribute(attributes, 'width'), isLineHigh });
  }
  flushText();
  return parts;
}

/** Removes the tags of a text. */
export const removeTags = (html: string): string =>
  Array.from(splitTags(html), ({ text, isTag }) => (isTag ? '' : text)).join('');

/** Splits HTML into tags and text in linear time, even if no tag ends. */
function* splitTags(html: string): Generator<{ text: string; isTag: boolean }> {
  const tagStart = /<(?:\/?[a-z]|[!?])/gi;
  let position = 0;
  for (let match = tagStart.exec(html); match !== null; match = tagStart.exec(html)) {
    const end = html.indexOf('>', match.index) + 1;
    if (end === 0) break;
    yield { text: html.slice(position, match.index), isTag: false };
    yield { text: html.slice(match.index, end), isTag: true };
    position = end;
    tagStart.lastIndex = end;
  }
  yield { text: html.slice(position), isTag: false };
}

function getAttribute(source = '', name: string): string {
  const [, double, single] = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'i').exec(source) ?? [];
  return decode(double ?? single ?? '');
}

const decode = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{1,8}));/gi, (entity, digits, hex, name) => {
    const code = digits !== undefined ? Number(digits) : hex !== undefined ? Number.parseInt(hex, 16) : undefined;
    if (code !== undefined) return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity;
    return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? entity) : entity;
  });

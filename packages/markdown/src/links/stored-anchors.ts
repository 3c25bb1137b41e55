import { getAnchors, maxAnchoredLength } from '../sections.ts';
import { slugify } from '../slug.ts';

/** Maximum length of a document's stored anchors, in characters; of a longer list nothing is stored. */
const maxStoredLength = 16_384;

/** Syntax that inserts headings and ids that are not in the text itself. */
const externalContent = new RegExp(
  [
    // GitBook blocks, Jekyll tags, expressions, mdBook, Hugo shortcodes, markdown-include, MkDocs snippets.
    /\{%-?[ \t]{0,9}(?:include|openapi|swagger)|\{\{|\{!|--8<--/,
    // VitePress and other comments, DocFX, MyST directives, mkdocstrings, embedded notes.
    /<!--[ \t]{0,9}[@#]?(?:include|snippet)|\[!(?:INCLUDE|include)|\{(?:include|eval-rst|auto\w{1,20})\}|^:::[ \t]{1,9}\w{1,99}\.\w|!\[\[/,
    // Components without content (`<Part />`, `<Part></Part>`, `<a-part/>`) and imported pages.
    /<(?:[A-Z][\w.]{0,99}|[a-z]\w{0,99}-[\w-]{0,99})(?=[\s/>])(?:[^<]{0,999}\/>|[^<]{0,999}>\s{0,99}<\/[A-Za-z])/,
    /^(?:import[ \t]|\}[ \t]{0,9}from[ \t]).{0,500}\.mdx?['"]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'm',
);
const dates = /\{%-?[ \t]{0,9}update[ \t][^%]{0,200}?date="([^"\s]{1,40})"/g;

/**
 * Returns the anchors of a text as stored: separated by newlines. A site scrolls to each of them. Returns '' if the text
 * may have other anchors, so that no working link is reported as broken.
 */
export function toStoredAnchors(markdown: string): string {
  if (markdown.length > maxAnchoredLength || externalContent.test(markdown)) return '';
  const anchorIds = new Set(getAnchors(markdown).flatMap(({ id, aliases }) => [id, ...aliases]));
  for (const [, date = ''] of markdown.matchAll(dates)) anchorIds.add(`update-${date.replace(/T.*$/, '')}`);
  const storedIds = `\n${[...anchorIds].filter((id) => !/\s/.test(id)).join('\n')}\n`;
  return storedIds.length <= maxStoredLength && storedIds.isWellFormed() ? storedIds : '';
}

/** Number of characters of an anchor that are compared. */
export const maxAnchorLength = 1000;

/** Returns the names under which the anchor of a link may be stored; empty if browsers or applications interpret it. */
export function getAnchorNames(anchor: string): string[] {
  const decoded = decodeAnchor(anchor.slice(0, maxAnchorLength)).replace(/:~:.*$/s, '');
  if (decoded === '' || decoded === 'top' || /[/!?=&]/.test(decoded)) return [];
  return [...new Set([decoded, decoded.toLowerCase(), slugify(decoded)])].filter((name) => !/\s/.test(name));
}

export function decodeAnchor(text: string): string {
  try {
    return decodeURIComponent(text).toWellFormed();
  } catch {
    return text;
  }
}

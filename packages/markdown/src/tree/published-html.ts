import { htmlTag } from '../links/tags.ts';
import { type Block, block, inline, urlReference } from './document-tree.ts';
import { htmlInlinesOf } from './inlines.ts';
import { attributesOf } from './markup.ts';
import { mayRunCode } from './references.ts';

/** A comment, a script or a style that nothing ends goes on to the end. */
const SILENT = /<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)/gi;
const BREAKS =
  /<\/?(?:address|article|aside|blockquote|body|br|center|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|html|iframe|li|main|nav|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|title|tr|ul|video)\b[^<>]*>/gi;
const IMAGE = /<img\b([^<>]*?)\/?>/gi;

/** What HTML of no known form shows: its images, and its text as paragraphs where its elements begin and end. */
export function blocksOfHtml(html: string): Block[] {
  const parts = html.replace(SILENT, '').split(BREAKS);
  return parts.flatMap((part) => {
    const nodes = inlinesIn(part);
    return nodes.length === 0 ? [] : [block('paragraph', {}, nodes)];
  });
}

function inlinesIn(part: string): Block['nodes'] {
  const nodes: Block['nodes'] = [];
  let position = 0;
  for (const { 0: whole, 1: attributes = '', index } of part.matchAll(IMAGE)) {
    nodes.push(...textIn(part.slice(position, index)), ...imageOf(attributes));
    position = index + whole.length;
  }
  return [...nodes, ...textIn(part.slice(position))];
}

const textIn = (html: string): Block['nodes'] => htmlInlinesOf(html.replace(/\s+/g, ' ').trim(), {});

function imageOf(source: string): Block['nodes'] {
  const attributes = attributesOf(source.trimEnd());
  const url = attributes?.get('src') ?? htmlTag(`<img${source}>`, 0)?.found?.target ?? '';
  if (url === '' || mayRunCode(url)) return [];
  return [inline('inline-image', { ref: urlReference(url), alt: attributes?.get('alt') ?? '' })];
}

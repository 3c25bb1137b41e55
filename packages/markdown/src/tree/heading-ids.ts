import { headingParts, idsIn, isAnchorsOnly } from '../headings.ts';
import type { NamedHeading } from '../slug.ts';
import { placeIds } from '../slug.ts';
import { type Block, getMarkup, isBlock, type TreeData, textAt } from './document-tree.ts';

/** Returns the explicit ids in a block's data, by precedence. */
export const idsData = ([id, ...aliases]: readonly string[]): TreeData => ({
  ...(id !== undefined && { id }),
  ...(aliases.length > 0 && { aliases }),
});

/** Returns the explicit ids of a block. */
export function getExplicitIds({ data }: Block): string[] {
  const id = textAt(data, 'id');
  const aliases = Array.isArray(data.aliases) ? data.aliases.filter((each) => typeof each === 'string') : [];
  return [...(id === undefined ? [] : [id]), ...aliases];
}

/** Blocks whose headings are not headings of the document. */
const APART = new Set(['blockquote', 'list-item', 'table', 'code', 'image', 'images']);

interface Heading extends NamedHeading {
  block: Block;
  ids: string[];
}

/** The id of a heading and its other explicit ids. */
export interface HeadingIds {
  id: string;
  aliases: string[];
}

/**
 * Returns the ids of all headings among the document's blocks, consistent with `getAnchors`. Headings in quotes, lists
 * and tables have none. A duplicate explicit id belongs to the first heading.
 */
export function headingIds(nodes: readonly Block[]): ReadonlyMap<Block, HeadingIds> {
  const named: (Heading | NamedHeading)[] = [];
  collect(nodes, named);
  const ids = placeIds(named);
  const taken = new Set(ids);
  const found = new Map<Block, HeadingIds>();
  for (const [index, each] of named.entries()) {
    if (!('block' in each)) continue;
    const aliases = [...new Set(each.ids)].filter((id) => id !== '' && !taken.has(id));
    for (const alias of aliases) taken.add(alias);
    found.set(each.block, { id: ids[index] ?? '', aliases });
  }
  return found;
}

/** Returns the id and the aliases of a heading in a published document. */
export function publishedIds({ id, aliases }: Partial<HeadingIds> = {}) {
  const own = id !== undefined && /^[-a-z0-9.+_]+$/.test(id) ? { id } : {};
  const others = aliases === undefined || aliases.length === 0 ? {} : { aliases };
  return { data: { ...own, ...others }, ...(id === undefined ? {} : { meta: { id } }) };
}

function collect(nodes: Block['nodes'] | readonly Block[], named: (Heading | NamedHeading)[]): void {
  let [waiting, previous]: [string[], Heading | undefined] = [[], undefined];
  for (const node of nodes) {
    if (!isBlock(node) || APART.has(node.type)) continue;
    const level = Number(/^heading-(\d)$/.exec(node.type)?.[1] ?? 0);
    const alone = node.type === 'html' ? idsAlone(textAt(node.data, 'html') ?? '') : [];
    if (level > 0) {
      previous = { block: node, level, text: flatText(node), ids: [...getExplicitIds(node), ...waiting] };
      named.push(previous);
      waiting = [];
      continue;
    }
    if (alone.length > 0 && previous !== undefined && textAt(node.data, 'html')?.startsWith('{:') === true)
      previous.ids.push(...alone);
    else waiting = alone;
    previous = undefined;
    collect(node.nodes, named);
  }
}

/** Returns the ids in the HTML of a block: of a block itself, or in its texts. */
export function idsInHtml(node: Block): string[] {
  const html = [node, ...node.nodes.filter((each) => !isBlock(each)).flatMap(withInner)].map((each) => {
    if (each.object === 'text' || each.type !== 'html') return '';
    return textAt(each.data.markup, 'text') ?? textAt(each.data, 'html') ?? '';
  });
  return idsIn(html.join(''), true);
}

const withInner = (node: Block['nodes'][number]): Block['nodes'] =>
  node.object === 'inline' ? [node, ...node.nodes.flatMap(withInner)] : [node];

const idsAlone = (html: string): string[] =>
  isAnchorsOnly(html) || /^<(\w+)\s[^<>]*>(?:\s*<\/\1>)?\s*$/.test(html) ? idsIn(html, true) : [];

const flatText = (node: Block['nodes'][number]): string => {
  if (node.object === 'text') return node.leaves.map(({ text }) => text).join('');
  return node.nodes.map(flatText).join('');
};

/** Formats a heading's text with its ids, in their source form if they are unchanged. */
export function withIds(heading: Block, text: string): string {
  const ids = getExplicitIds(heading);
  const [prefix, suffix] = ['prefix', 'suffix'].map((key) => getMarkup(heading.data, key));
  const written = `${typeof prefix === 'string' ? prefix : ''}${text}${typeof suffix === 'string' ? suffix : ''}`;
  if (isSame(written, text, ids)) return written;
  const [id, ...aliases] = ids
    .filter((each) => !idsIn(text).includes(each))
    .map((each) => each.replace(/[\s{}"<>]/g, '-'));
  const anchors = aliases.map((alias) => ` <a id="${alias}"></a>`).join('');
  return `${escaped(text)}${anchors}${id === undefined ? '' : ` {#${id}}`}`;
}

function isSame(written: string, text: string, ids: string[]): boolean {
  const parts = headingParts(written);
  return parts.text === text && JSON.stringify(parts.ids) === JSON.stringify(ids);
}

/** Escapes text at the end that would be parsed as an attribute list. */
function escaped(text: string): string {
  const parts = headingParts(text);
  const brace = parts.suffix.lastIndexOf('{');
  return brace < 0 ? text : `${text.slice(0, text.length - parts.suffix.length + brace)}\\${parts.suffix.slice(brace)}`;
}

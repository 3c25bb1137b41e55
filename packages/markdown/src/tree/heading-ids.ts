import { findIds, isAnchorsOnly, splitHeading } from '../headings.ts';
import { matchBlockTag } from '../inline-syntax.ts';
import type { NamedHeading } from '../slug.ts';
import { assignHeadingIds } from '../slug.ts';
import { type Block, getMarkup, getTagIds, getTextAt, isBlock, type TreeData } from './document-tree.ts';

/** Converts explicit ids, ordered by precedence, to block data: the first becomes `id`, the others become `aliases`. */
export const createIdData = ([id, ...aliases]: readonly string[]): TreeData => ({
  ...(id !== undefined && { id }),
  ...(aliases.length > 0 && { aliases }),
});

/** Returns the explicit ids of a block. */
export function getExplicitIds({ data }: Block): string[] {
  const id = getTextAt(data, 'id');
  const aliases = Array.isArray(data.aliases) ? data.aliases.filter((each) => typeof each === 'string') : [];
  return [...(id === undefined ? [] : [id]), ...aliases];
}

/** Types of blocks whose headings are not headings of the document. */
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
export function getHeadingIds(nodes: readonly Block[]): ReadonlyMap<Block, HeadingIds> {
  const headings: (Heading | NamedHeading)[] = [];
  collect(nodes, headings);
  const ids = assignHeadingIds(headings);
  const takenIds = new Set(ids);
  const idsByBlock = new Map<Block, HeadingIds>();
  for (const [index, each] of headings.entries()) {
    if (!('block' in each)) continue;
    const aliases = [...new Set(each.ids)].filter((id) => id !== '' && !takenIds.has(id));
    for (const alias of aliases) takenIds.add(alias);
    idsByBlock.set(each.block, { id: ids[index] ?? '', aliases });
  }
  return idsByBlock;
}

/** Returns the id and the aliases of a heading in a published document. */
export function toPublishedIds({ id, aliases }: Partial<HeadingIds> = {}) {
  const ownId = id !== undefined && /^[-a-z0-9.+_]+$/.test(id) ? { id } : {};
  const others = aliases === undefined || aliases.length === 0 ? {} : { aliases };
  return { data: { ...ownId, ...others }, ...(id === undefined ? {} : { meta: { id } }) };
}

function collect(nodes: Block['nodes'] | readonly Block[], headings: (Heading | NamedHeading)[]): void {
  let [pendingIds, previous]: [string[], Heading | undefined] = [[], undefined];
  for (const node of nodes) {
    if (!isBlock(node) || APART.has(node.type)) continue;
    const level = Number(/^heading-(\d)$/.exec(node.type)?.[1] ?? 0);
    const ids = node.type === 'html' ? findHtmlIds(getTextAt(node.data, 'html') ?? '') : [];
    if (level > 0) {
      previous = { block: node, level, text: getFlatText(node), ids: [...getExplicitIds(node), ...pendingIds] };
      headings.push(previous);
      pendingIds = [];
      continue;
    }
    if (ids.length > 0 && previous !== undefined && getTextAt(node.data, 'html')?.startsWith('{:') === true)
      previous.ids.push(...ids);
    else pendingIds = ids;
    previous = undefined;
    collect(node.nodes, headings);
  }
}

/**
 * Returns the ids in the HTML of a block and its inlines. Also returns the ids of its inner blocks that are not blocks
 * in a published document, such as header cells.
 */
export function getIdsInHtml(node: Block): string[] {
  const inner = node.nodes.filter(isBlock);
  if (node.type === 'html-run') return inner.flatMap(getIdsOfElements);
  if (node.type === 'footnote') return inner.flatMap(getAllIds);
  const header = node.type === 'table' ? inner.filter(({ data }) => data.header === true) : [];
  const line = node.nodes.filter((each) => !isBlock(each)).flatMap(flattenInline);
  return [node, ...line].flatMap(getIdsOfTag).concat(header.flatMap(getAllIds));
}

const getAllIds = (node: Block): string[] => [...getIdsInHtml(node), ...node.nodes.filter(isBlock).flatMap(getAllIds)];

/** Returns the ids of elements that contain blocks. */
const getIdsOfElements = (node: Block): string[] =>
  node.type === 'html'
    ? getIdsInHtml(node)
    : node.nodes.filter((each) => matchBlockTag(getHtml(each))).flatMap(getIdsOfTag);

const getHtml = (node: Block['nodes'][number]): string =>
  node.object === 'text' || node.type !== 'html' ? '' : (getTextAt(node.data, 'html') ?? '');

const getIdsOfTag = (node: Block['nodes'][number]): string[] =>
  node.object === 'text' ? [] : [...getTagIds(node), ...findIds(getHtml(node), true)];

const flattenInline = (node: Block['nodes'][number]): Block['nodes'] =>
  node.object === 'inline' ? [node, ...node.nodes.flatMap(flattenInline)] : [node];

const findHtmlIds = (html: string): string[] =>
  isAnchorsOnly(html) || /^<(\w+)\s[^<>]*>(?:\s*<\/\1>)?\s*$/.test(html) ? findIds(html, true) : [];

const getFlatText = (node: Block['nodes'][number]): string => {
  if (node.object === 'text') return node.leaves.map(({ text }) => text).join('');
  return node.nodes.map(getFlatText).join('');
};

/** Formats a heading's text with its ids, in their source form if they are unchanged. */
export function addIds(heading: Block, text: string): string {
  const ids = getExplicitIds(heading);
  const [prefix, suffix] = ['prefix', 'suffix'].map((key) => getMarkup(heading.data, key));
  const source = `${typeof prefix === 'string' ? prefix : ''}${text}${typeof suffix === 'string' ? suffix : ''}`;
  if (isSameHeading(source, text, ids)) return source;
  const [id, ...aliases] = ids
    .filter((each) => !findIds(text).includes(each))
    .map((each) => each.replace(/[\s{}"<>]/g, '-'));
  const anchors = aliases.map((alias) => ` <a id="${alias}"></a>`).join('');
  return `${escapeText(text)}${anchors}${id === undefined ? '' : ` {#${id}}`}`;
}

function isSameHeading(source: string, text: string, ids: string[]): boolean {
  const parts = splitHeading(source);
  return parts.text === text && JSON.stringify(parts.ids) === JSON.stringify(ids);
}

/** Escapes text at the end that would be parsed as an attribute list. */
function escapeText(text: string): string {
  const parts = splitHeading(text);
  const brace = parts.suffix.lastIndexOf('{');
  return brace < 0 ? text : `${text.slice(0, text.length - parts.suffix.length + brace)}\\${parts.suffix.slice(brace)}`;
}

/// <reference path="../emoji-names.d.ts" />
import type { Json } from '@octavo/expression';
import named from 'markdown-it-emoji/lib/data/full.mjs';
import type { Block, Inline, TextNode, TreeData } from './document-tree.ts';
import { getTextAt } from './document-tree.ts';

/** A node in the official format, which may have `fragments`. */
export type PublishedNode = { [key: string]: Json };

export type PublishedDocument = { object: 'document'; data: TreeData; nodes: PublishedNode[] };

/** The version of the format, which distinguishes it from trees of `parseTree`. */
export const PUBLISHED_VERSION = 10;

export const createPublishedNode = (object: 'block' | 'inline', type: string): PublishedNode => ({ object, type });

export const createParagraph = (nodes: Json[]): PublishedNode => ({
  ...createPublishedNode('block', 'paragraph'),
  isVoid: false,
  data: {},
  nodes,
});

export const createText = (value: string, ...marks: string[]): PublishedNode => ({
  object: 'text',
  leaves: [{ object: 'leaf', text: value, marks: marks.map((type) => ({ object: 'mark', type })) }],
});

export const createFragment = (name: string, nodes: Json[]): PublishedNode => ({
  object: 'fragment',
  fragment: name,
  type: name,
  nodes,
});

/** Returns the children of a node in either format. */
export const getNodes = (node: Json | Block | Inline | TextNode, key = 'nodes'): PublishedNode[] => {
  const nodes = (node as PublishedNode)[key];
  return Array.isArray(nodes) ? (nodes as PublishedNode[]) : [];
};

/** Returns the nodes of the fragment with this name. */
export const getFragment = (node: PublishedNode, name: string): PublishedNode[] => {
  const fragment = getNodes(node, 'fragments').find((node) => node.fragment === name || node.type === name);
  return fragment === undefined ? [] : getNodes(fragment);
};

/** Returns the text of nodes in either format. */
export const getPlainText = (nodes: (Json | Block | Inline | TextNode)[]): string =>
  nodes
    .map((node): string => {
      const { object, type, data } = node as PublishedNode;
      if (object === 'text')
        return getNodes(node, 'leaves')
          .map(({ text: each }) => String(each))
          .join('');
      const value = (data ?? {}) as PublishedNode;
      if (type === 'button' && typeof value.label === 'string') return value.label;
      if (type === 'inline-math' && typeof value.formula === 'string') return value.formula;
      if (type === 'emoji' && typeof value.code === 'string') return getCharacters(value.code);
      if (type === 'hard-break') return '\n';
      if (type === 'emoji' && typeof value.name === 'string') return `:${value.name}:`;
      return getPlainText(getNodes(node));
    })
    .join(nodes.every((node) => (node as PublishedNode).object === 'block') ? '\n' : '');

/** Whether a block is invisible, such as a lone anchor. */
export const isEmptyParagraph = (node: PublishedNode): boolean =>
  node.type === 'paragraph' &&
  getNodes(node).every((node) => node.object === 'text' && getPlainText([node]).trim() === '');

/** Whether an inline or a text of a paragraph is visible. */
export const isShownNode = (node: Block | Inline | TextNode): boolean => {
  if (node.object === 'text') return getPlainText([node]).trim() !== '';
  return node.type !== 'html' || node.data.html !== '';
};

/** Copies the key of the source block. */
export const addKey = ({ key }: { key?: string | undefined }, block: PublishedNode): PublishedNode => {
  const { object, type, ...fields } = block;
  return key === undefined ? block : { object: object ?? 'block', type: type ?? '', key, ...fields };
};

/** Creates a block with a reference and no content. */
export const createReference = (node: { key?: string | undefined }, type: string, ref: Json): PublishedNode =>
  addKey(node, { ...createPublishedNode('block', type), isVoid: true, data: { ref } });

export const getImages = (data: PublishedNode, nodes: PublishedNode[]): PublishedNode => ({
  ...createPublishedNode('block', 'images'),
  isVoid: false,
  data,
  nodes,
});

/** Returns the code points of a named emoji in hexadecimal, joined by hyphens; undefined for other names. */
export const getEmojiCodePoints = (name: string): string | undefined =>
  Object.hasOwn(named, name)
    ? Array.from(named[name] ?? '', (character) => (character.codePointAt(0) ?? 0).toString(16)).join('-')
    : undefined;

let names: Map<string, string> | undefined;

/** Returns the first name of an emoji. */
export function getName(code: string): string | undefined {
  names ??= new Map(
    Object.keys(named)
      .reverse()
      .map((name) => [getEmojiCodePoints(name) ?? '', name]),
  );
  return names.get(code);
}

/** Returns the characters of an emoji's code; invalid code points are ignored. */
export const getCharacters = (code: string): string =>
  code
    .split('-')
    .map((point) => Number.parseInt(point, 16))
    .filter((point) => point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff))
    .map((point) => String.fromCodePoint(point))
    .join('');

/** The field of the target, by kind of reference. */
const NAMES: Record<string, string> = {
  url: 'url',
  page: 'page',
  anchor: 'anchor',
  file: 'file',
  user: 'user',
  space: 'space',
  collection: 'collection',
  tag: 'tag',
  'reusable-content': 'reusableContent',
  openapi: 'spec',
};

/** Converts a reference to an official kind; others become a URL. */
export function publishReference(ref: Json | undefined): TreeData {
  const kind = getTextAt(ref, 'kind') ?? '';
  const name = Object.hasOwn(NAMES, kind) ? NAMES[kind] : undefined;
  if (name === undefined || getTextAt(ref, name) === undefined)
    return { kind: 'url', url: getTextAt(ref, 'url') ?? '' };
  return ref as TreeData;
}

/** Converts a reference where only files and URLs are allowed. */
export function publishFileReference(ref: Json | undefined): TreeData {
  const published = publishReference(ref);
  if (published.kind === 'file' || published.kind === 'url') return published;
  return { kind: 'url', url: getTextAt(published, 'href') ?? getAddress(published) };
}

/** Returns the text that represents a reference if it has no text of its own. */
export const getReferenceText = (ref: Json | undefined): string => {
  const kind = getTextAt(ref, 'kind') ?? '';
  return getTextAt(ref, 'href') ?? (Object.hasOwn(NAMES, kind) ? (getTextAt(ref, NAMES[kind] ?? '') ?? '') : '');
};

/** Returns the address that represents a reference in markdown. */
export function getAddress(ref: Json | undefined): string {
  const kind = getTextAt(ref, 'kind');
  const getParameter = (key: string): string => encodeURI(getTextAt(ref, key) ?? '');
  if (kind === 'page') return `/pages/${getParameter('page')}`;
  if (kind === 'file') return `/files/${getParameter('file')}`;
  if (kind === 'reusable-content') return `/reusable-contents/${getParameter('reusableContent')}`;
  if (kind === 'anchor')
    return `${getTextAt(ref, 'page') === undefined ? '' : `/pages/${getParameter('page')}`}#${getTextAt(ref, 'anchor') ?? ''}`;
  return getTextAt(ref, 'url') ?? getTextAt(ref, 'href') ?? getReferenceText(ref);
}

/// <reference path="../emoji-names.d.ts" />
import type { Json } from '@octavo/expression';
import named from 'markdown-it-emoji/lib/data/full.mjs';
import type { Block, Inline, TextNode, TreeData } from './document-tree.ts';
import { textAt } from './document-tree.ts';

/** A node in the official format, which may have `fragments`. */
export type PublishedNode = { [key: string]: Json };

export type PublishedDocument = { object: 'document'; data: TreeData; nodes: PublishedNode[] };

/** The version of the format, which distinguishes it from trees of `parseTree`. */
export const PUBLISHED_VERSION = 10;

export const published = (object: 'block' | 'inline', type: string): PublishedNode => ({ object, type });

export const paragraph = (nodes: Json[]): PublishedNode => ({
  ...published('block', 'paragraph'),
  isVoid: false,
  data: {},
  nodes,
});

export const text = (value: string, ...marks: string[]): PublishedNode => ({
  object: 'text',
  leaves: [{ object: 'leaf', text: value, marks: marks.map((type) => ({ object: 'mark', type })) }],
});

export const fragment = (name: string, nodes: Json[]): PublishedNode => ({
  object: 'fragment',
  fragment: name,
  type: name,
  nodes,
});

/** Returns the children of a node in either format. */
export const nodesIn = (node: Json | Block | Inline | TextNode, key = 'nodes'): PublishedNode[] => {
  const nodes = (node as PublishedNode)[key];
  return Array.isArray(nodes) ? (nodes as PublishedNode[]) : [];
};

/** Returns the fragment of a name. */
export const getFragment = (node: PublishedNode, name: string): PublishedNode[] => {
  const found = nodesIn(node, 'fragments').find((each) => each.fragment === name || each.type === name);
  return found === undefined ? [] : nodesIn(found);
};

/** Returns the text of nodes in either format. */
export const plainText = (nodes: (Json | Block | Inline | TextNode)[]): string =>
  nodes
    .map((node): string => {
      const { object, type, data } = node as PublishedNode;
      if (object === 'text')
        return nodesIn(node, 'leaves')
          .map(({ text: each }) => String(each))
          .join('');
      const value = (data ?? {}) as PublishedNode;
      if (type === 'button' && typeof value.label === 'string') return value.label;
      if (type === 'inline-math' && typeof value.formula === 'string') return value.formula;
      if (type === 'emoji' && typeof value.code === 'string') return getCharacters(value.code);
      if (type === 'hard-break') return '\n';
      if (type === 'emoji' && typeof value.name === 'string') return `:${value.name}:`;
      return plainText(nodesIn(node));
    })
    .join(nodes.every((node) => (node as PublishedNode).object === 'block') ? '\n' : '');

/** Whether a block is invisible, as a lone anchor. */
export const isEmptyParagraph = (node: PublishedNode): boolean =>
  node.type === 'paragraph' && nodesIn(node).every((each) => each.object === 'text' && plainText([each]).trim() === '');

/** Whether any part of a paragraph is visible. */
export const isShown = (node: Block | Inline | TextNode): boolean => {
  if (node.object === 'text') return plainText([node]).trim() !== '';
  return node.type !== 'html' || node.data.html !== '';
};

/** Copies the key of the source block. */
export const withKey = ({ key }: { key?: string | undefined }, block: PublishedNode): PublishedNode => {
  const { object, type, ...more } = block;
  return key === undefined ? block : { object: object ?? 'block', type: type ?? '', key, ...more };
};

/** A block with a reference and no content. */
export const reference = (node: { key?: string | undefined }, type: string, ref: Json): PublishedNode =>
  withKey(node, { ...published('block', type), isVoid: true, data: { ref } });

export const getImages = (data: PublishedNode, nodes: PublishedNode[]): PublishedNode => ({
  ...published('block', 'images'),
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
export function publishedReference(ref: Json | undefined): TreeData {
  const kind = textAt(ref, 'kind') ?? '';
  const name = Object.hasOwn(NAMES, kind) ? NAMES[kind] : undefined;
  if (name === undefined || textAt(ref, name) === undefined) return { kind: 'url', url: textAt(ref, 'url') ?? '' };
  return ref as TreeData;
}

/** Converts a reference where only files and URLs are allowed. */
export function fileReference(ref: Json | undefined): TreeData {
  const published = publishedReference(ref);
  if (published.kind === 'file' || published.kind === 'url') return published;
  return { kind: 'url', url: textAt(published, 'href') ?? getAddress(published) };
}

/** Returns the text for a reference without text. */
export const referenceText = (ref: Json | undefined): string => {
  const kind = textAt(ref, 'kind') ?? '';
  return textAt(ref, 'href') ?? (Object.hasOwn(NAMES, kind) ? (textAt(ref, NAMES[kind] ?? '') ?? '') : '');
};

/** Returns the address that represents a reference in markdown. */
export function getAddress(ref: Json | undefined): string {
  const kind = textAt(ref, 'kind');
  const at = (key: string): string => encodeURI(textAt(ref, key) ?? '');
  if (kind === 'page') return `/pages/${at('page')}`;
  if (kind === 'file') return `/files/${at('file')}`;
  if (kind === 'reusable-content') return `/reusable-contents/${at('reusableContent')}`;
  if (kind === 'anchor')
    return `${textAt(ref, 'page') === undefined ? '' : `/pages/${at('page')}`}#${textAt(ref, 'anchor') ?? ''}`;
  return textAt(ref, 'url') ?? textAt(ref, 'href') ?? referenceText(ref);
}

import type { Json } from '@octavo/expression';
import { type TreeData, textAt } from './document-tree.ts';

/** The field that says what a reference of each kind leads to. */
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

/** A reference in one of the official kinds; what is of none is an address. */
export function publishedReference(ref: Json | undefined): TreeData {
  const kind = textAt(ref, 'kind') ?? '';
  const name = Object.hasOwn(NAMES, kind) ? NAMES[kind] : undefined;
  if (name === undefined || textAt(ref, name) === undefined) return { kind: 'url', url: textAt(ref, 'url') ?? '' };
  return ref as TreeData;
}

/** A reference where a file or an address alone may stand. */
export function fileReference(ref: Json | undefined): TreeData {
  const published = publishedReference(ref);
  if (published.kind === 'file' || published.kind === 'url') return published;
  return { kind: 'url', url: textAt(published, 'href') ?? addressOf(published) };
}

/** What is shown of a reference that no text stands for. */
export const referenceText = (ref: Json | undefined): string => {
  const kind = textAt(ref, 'kind') ?? '';
  return textAt(ref, 'href') ?? (Object.hasOwn(NAMES, kind) ? (textAt(ref, NAMES[kind] ?? '') ?? '') : '');
};

/** The address in a text that means what a reference does. */
export function addressOf(ref: Json | undefined): string {
  const kind = textAt(ref, 'kind');
  const at = (key: string): string => encodeURI(textAt(ref, key) ?? '');
  if (kind === 'page') return `/pages/${at('page')}`;
  if (kind === 'file') return `/files/${at('file')}`;
  if (kind === 'reusable-content') return `/reusable-contents/${at('reusableContent')}`;
  if (kind === 'anchor')
    return `${textAt(ref, 'page') === undefined ? '' : `/pages/${at('page')}`}#${textAt(ref, 'anchor') ?? ''}`;
  return textAt(ref, 'url') ?? textAt(ref, 'href') ?? referenceText(ref);
}

import type { Json } from '@octavo/expression';
import { type Block, isBlock, type TreeData, textAt } from './document-tree.ts';
import { iconData } from './published-inlines.ts';
import type { PublishedNode } from './published-nodes.ts';
import { fileReference } from './published-references.ts';

/** What the data of a block without special children says in the official form. */
export function publishedData(type: string, data: TreeData): PublishedNode {
  const of = Object.hasOwn(DATA, type) ? DATA[type] : undefined;
  return of === undefined ? {} : of(data);
}

const hints = new Set(['info', 'warning', 'danger', 'success']);

const DATA: Record<string, (data: TreeData) => PublishedNode> = {
  hint: (data) => ({
    style: hints.has(String(data.style)) ? String(data.style) : 'info',
    ...iconData(textAt(data, 'icon')),
  }),
  'list-ordered': (data) => (typeof data.start === 'number' ? { start: data.start } : {}),
  'list-item': (data) => (typeof data.checked === 'boolean' ? { checked: data.checked } : {}),
  tabs: (data) => flags(data, 'fullWidth'),
  'tabs-item': (data) => ({ ...texts(data, 'title', 'slug'), ...iconData(textAt(data, 'icon')) }),
  'stepper-step': (data) => texts(data, 'icon'),
  columns: (data) => flags(data, 'fullWidth'),
  column: (data) => ({
    ...lengthData('width', data.width),
    ...oneOf(data, 'verticalAlignment', ['top', 'middle', 'bottom']),
  }),
  images: (data) => ({
    ...oneOf(data, 'align', ['center', 'left', 'right']),
    ...flags(data, 'fullWidth', 'withFrame'),
  }),
  image: (data) => ({
    ref: fileReference(data.ref),
    ...(data.refDark === undefined ? {} : { refDark: fileReference(data.refDark) }),
    ...lengthData('width', data.width),
    ...lengthData('height', data.height),
    ...texts(data, 'alt'),
  }),
  code: (data) => ({
    ...texts(data, 'title'),
    ...oneOf(data, 'overflow', ['scroll', 'wrap']),
    ...flags(data, 'lineNumbers', 'fullWidth', 'expandable'),
    ...(isCount(Number(data.collapsedLineCount)) ? { collapsedLineCount: Number(data.collapsedLineCount) } : {}),
  }),
  math: (data) => ({ formula: textAt(data, 'formula') ?? '' }),
  expandable: (data) => (data.open === true ? { defaultExpanded: true } : {}),
  prompt: (data) => ({
    description: textAt(data, 'description') ?? '',
    ...iconData(textAt(data, 'icon')),
    ...flags(data, 'openInAIProviders'),
    ...oneOf(data, 'defaultExpanded', ['hidden', 'partial', 'full']),
  }),
  updates: (data) => ({ format: ['numeric', 'short'].includes(String(data.format)) ? String(data.format) : 'full' }),
};

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1;

export const texts = (data: TreeData, ...keys: string[]): PublishedNode =>
  Object.fromEntries(keys.flatMap((key) => (typeof data[key] === 'string' ? [[key, data[key]]] : []))) as PublishedNode;

/** Attributes of tags are texts. */
export const flags = (data: TreeData, ...keys: string[]): PublishedNode =>
  Object.fromEntries(
    keys.flatMap((key) => (['true', 'false'].includes(String(data[key])) ? [[key, String(data[key]) === 'true']] : [])),
  );

const oneOf = (data: TreeData, key: string, values: string[]): PublishedNode =>
  values.includes(String(data[key])) ? { [key]: String(data[key]) } : {};

/** A number of pixels, or a number with another unit. */
function lengthData(key: string, value: Json | undefined): PublishedNode {
  const [, digits, unit = ''] = /^\s*(\d{1,9}(?:\.\d{1,9})?)\s*(%|[a-z]{1,5})?\s*$/.exec(String(value ?? '')) ?? [];
  if (digits === undefined) return {};
  return { [key]: unit === '' || unit === 'px' ? Number(digits) : { unit, value: Number(digits) } };
}

/** The data of updates; undefined where one of them has no date that can be read. */
export function updateData({ nodes }: Block): PublishedNode[] | undefined {
  const updates = nodes.filter(isBlock).map(({ data }) => {
    const tags = (textAt(data, 'tags') ?? '').split(',').map((tag) => tag.trim());
    const date = timeOf(textAt(data, 'date') ?? '');
    return { date, tags: tags.filter((tag) => tag !== '').map((tag) => ({ kind: 'tag', tag })) };
  });
  const dated = updates.flatMap(({ date, tags }): PublishedNode[] =>
    date === undefined ? [] : [{ date, ...(tags.length === 0 ? {} : { tags }) }],
  );
  return dated.length === updates.length ? dated : undefined;
}

/** The time that a date or a time of ISO 8601 names; undefined for other texts. */
function timeOf(text: string): string | undefined {
  if (!/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/.test(text)) return undefined;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

import type { DocumentChange, File, SemanticChange } from '@octavo/schema';

/** A changed page, file or reusable content, or all changed variables. */
export interface ChangedItem {
  id: string;
  title: string;
  kinds: ('Added' | 'Edited' | 'Moved' | 'Deleted')[];
  changes: SemanticChange[];
  /** The difference of the text. */
  document?: DocumentChange | undefined;
  counts?: { added: number; removed: number } | undefined;
  /** The page that changed. `isDeleted` is true if the later version does not have the page. */
  page?: { id: string; type: string; isDeleted: boolean } | undefined;
  /** The image that was added or changed. */
  image?: File | undefined;
}

const kindNames: Record<string, ChangedItem['kinds'][number]> = {
  created: 'Added',
  edited: 'Edited',
  moved: 'Moved',
  deleted: 'Deleted',
};

function describeItem(change: SemanticChange): { id: string; title: string } {
  if ('page' in change) return { id: change.page.id, title: change.page.title || 'Untitled' };
  if ('file' in change) return { id: change.file.id, title: change.file.name };
  if ('reusableContent' in change) return change.reusableContent;
  return { id: 'variables', title: 'Variables' };
}

const getDocument = (change: SemanticChange): DocumentChange | undefined =>
  'attributes' in change && change.attributes !== undefined && 'document' in change.attributes
    ? change.attributes.document
    : undefined;

/** Groups changes by what they change. A page that was edited and moved has two changes. */
export function groupChanges(changes: SemanticChange[]): ChangedItem[] {
  const items = new Map<string, ChangedItem>();
  for (const change of changes) {
    const { id, title } = describeItem(change);
    const item = items.get(id) ?? { id, title, kinds: [], changes: [] };
    const kind = kindNames[change.type.split('_').at(-1) ?? ''];
    items.set(id, item);
    item.changes.push(change);
    if (kind !== undefined) item.kinds.push(kind);
    if ('page' in change) item.page = { id, type: change.page.type, isDeleted: change.type === 'page_deleted' };
    if ('file' in change && change.type !== 'file_deleted' && change.file.contentType.startsWith('image/'))
      item.image = change.file;
    const document = getDocument(change);
    if (document === undefined) continue;
    item.document = document;
    const { added, removed } = document;
    if (added !== undefined && removed !== undefined) item.counts = { added, removed };
  }
  return [...items.values()];
}

export type PageMove = Extract<SemanticChange, { type: 'page_moved' }>;

/** A field with its values in both versions, as text. */
export interface AttributeChange {
  name: string;
  before: string | undefined;
  after: string | undefined;
}

const attributeNames: Record<string, string> = {
  title: 'Title',
  description: 'Description',
  slug: 'Path',
  emoji: 'Emoji',
  icon: 'Icon',
  hidden: 'Hidden',
  noIndex: 'Hidden from search',
  noRobotsIndex: 'Hidden from search engines',
  condition: 'Condition',
  cover: 'Cover',
  layout: 'Layout',
  variables: 'Variables',
  target: 'Link target',
  name: 'Name',
  contentType: 'Type',
  size: 'Size in bytes',
  dimensions: 'Dimensions',
};

function toText(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return typeof value === 'object' ? JSON.stringify(value, null, 1) : String(value);
}

const toEntries = (before: Record<string, unknown>, after: Record<string, unknown>): AttributeChange[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => toText(before[name]) !== toText(after[name]))
    .map((name) => ({ name, before: toText(before[name]), after: toText(after[name]) }));

/**
 * Describes the former and the new parent of a moved page. `position` describes the position in the parent. It is
 * undefined if the page tree is not loaded.
 */
export function describeMove({ parent }: PageMove, position: string | undefined): string {
  const name = (page: { title: string } | undefined): string => page?.title ?? 'the top level';
  const { before, after } = parent;
  if (before?.id !== after?.id) return `Moved from ${name(before)} to ${name(after)}`;
  return position === undefined ? `Moved within ${name(after)}` : `Moved ${position} in ${name(after)}`;
}

/** Returns the changed fields except the text. Addresses of files change with each version, and are left out. */
export function listAttributeChanges(change: SemanticChange): AttributeChange[] {
  if (change.type === 'variables_edited') return toEntries(change.variables.before, change.variables.after);
  if (!('attributes' in change) || change.attributes === undefined) return [];
  return Object.entries(change.attributes).flatMap(([key, value]): AttributeChange[] => {
    const name = attributeNames[key];
    if (name === undefined || value === undefined) return [];
    const { before, after } = value as { before?: unknown; after?: unknown };
    return [{ name, before: toText(before), after: toText(after) }];
  });
}

import { cleanTitle, readFrontmatter, slugify, titleOf } from '@octavo/markdown';
import type { SourceFile } from './source.ts';
import type { WantedEntry } from './wanted.ts';

const maxSlugLength = 100;

const isIndex = (name: string): boolean => /^(?:readme|index)\.(?:md|markdown)$/i.test(name);

/** Whether a file is the page of the folder that it is in. */
export const isFolderPage = (path: string): boolean => isIndex(path.split('/').at(-1) ?? '');

/** The name that a file gives its page: without `.md`, and the folder's for a README or index. */
export function pageName(path: string): string {
  const parts = path.split('/');
  const name = parts.pop() ?? path;
  return (isIndex(name) ? parts.at(-1) : undefined) ?? name.replace(/\.(?:md|markdown)$/i, '');
}

/** A slug that keeps the letters of a file's name as they are. */
export function slugOfName(name: string): string {
  const slug = name.replace(/[\s/?#\p{Cc}]+/gu, '-').slice(0, maxSlugLength);
  return (slug.isWellFormed() ? slug : slug.slice(0, -1)) || 'page';
}

/** A title from the name of a file or a folder. */
export const titleOfName = (name: string): string => firstTitle(name.replace(/[-_]+/g, ' ').trim(), name);

/** The title that the first readable one of some texts makes: the server refuses a page with any other. */
export const firstTitle = (...texts: string[]): string =>
  texts.map(cleanTitle).find((title) => title !== '') ?? 'Untitled';

/** What the change that makes a new page says of it; a title that its text gives is left out. */
export function fieldsOfNew(wanted: WantedEntry): { title?: string; hidden?: boolean } {
  if (wanted.kind !== 'page') return { title: wanted.title };
  const derived = wanted.file && titleOf(wanted.file.text);
  const title = wanted.title ?? (derived === undefined ? wanted.fallbackTitle : undefined);
  return { ...(title !== undefined && { title }), ...(wanted.hidden && { hidden: true }) };
}

/** The slug that the frontmatter of a file gives its page, on every write. */
export function ownSlug(file: SourceFile | undefined): string | undefined {
  const own = file && readFrontmatter(file.text).values.slug;
  return own ? slugify(own) : undefined;
}

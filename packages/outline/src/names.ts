import { cleanTitle } from '@octavo/markdown';

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

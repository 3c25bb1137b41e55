import { readFrontmatter, slugify, titleOf } from '@octavo/markdown';
import type { SourceFile } from './source.ts';
import type { Wanted } from './wanted.ts';

/** What the change that makes a new page says of it; a title that its text gives is left out. */
export function fieldsOfNew(wanted: Wanted): { title?: string; hidden?: boolean } {
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

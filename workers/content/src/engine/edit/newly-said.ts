import type { PreparedDocument, Said } from './documents.ts';

const defaultTitle = 'Untitled';

/** The title of a new page: its text's frontmatter, the change, the first heading. */
export const insertedTitle = (title: string | undefined, said: Said | undefined): string =>
  said?.title ?? title ?? said?.heading ?? defaultTitle;

interface Before {
  /** What the text said that the page has; undefined where it has none. */
  former: Said | undefined;
  /** The page's title, and the one that the change asks for. */
  title: string;
  asked: string | undefined;
  /** Whether the title is in conflict: only what sets it decides that. */
  isUndecided: boolean;
}

/**
 * What a new text says of its page that the text before did not say: what was set by field otherwise stays. A title
 * follows the heading that it is.
 */
export function newlySaid(document: PreparedDocument, { former, title, asked, isUndecided }: Before): PreparedDocument {
  const isNew = (key: 'title' | 'slug') => document[key] !== undefined && document[key] !== former?.[key];
  const follows = asked === undefined && !isUndecided && title === insertedTitle(undefined, former);
  const followed = document.title ?? document.heading;
  return {
    ...document,
    title: isNew('title') ? document.title : follows && followed !== title ? followed : undefined,
    slug: isNew('slug') ? document.slug : undefined,
    fields: Object.fromEntries(
      Object.entries(document.fields).filter(
        ([key, value]) => JSON.stringify(value) !== JSON.stringify(former?.fields[key as keyof Said['fields']]),
      ),
    ),
    removed: document.removed.filter((key) => former?.removed.includes(key) !== true),
  };
}

import { getTitle, readFrontmatter, slugify } from '@octavo/markdown';
import type { ContentChange, Issue, OrganizationId } from '@octavo/schema';
import type { StoredBlob } from '../blobs/store-blobs.ts';
import type { StoredText } from '../store/documents.ts';
import { storeText } from '../store/documents.ts';
import type { PageFields } from '../store/nodes.ts';

/** What a text says of its page. */
export interface Said {
  title: string | undefined;
  heading: string | undefined;
  slug: string | undefined;
  fields: Partial<PageFields>;
  /** Fields that the frontmatter sets to nothing: an empty text, a flag that is false. */
  removed: (keyof PageFields)[];
  /** The paths in the frontmatter of what could not be read. */
  unread: string[];
}

/** What a change brings along as a document, read once: `undefined` where it brings none, `null` an empty page. */
export interface PreparedDocument extends Said {
  stored: StoredText | null;
}

/** A change with its document hashed, its frontmatter read and its files stored. */
export interface PreparedChange {
  change: ContentChange;
  document: PreparedDocument | undefined;
  files?: PreparedFile[];
}

/** A new file whose bytes are stored, by its place among the files of its change. */
interface PreparedFile {
  name: string;
  blob: StoredBlob;
}

/**
 * Hashes the documents of a batch and reads their frontmatter. `warnings` name what of that is no value of the field that
 * it is written for: it stays in the text, and sets nothing.
 */
export async function prepareChanges(
  organization: OrganizationId,
  changes: ContentChange[],
): Promise<{ prepared: PreparedChange[]; warnings: Issue[] }> {
  const warnings: Issue[] = [];
  const prepared = await Promise.all(
    changes.map(async (change, index) => {
      const input = 'document' in change ? change.document : undefined;
      if (input === undefined) return { change, document: undefined };
      if (!('markdown' in input)) return { change, document: emptyDocument };
      const asPage = change.operation === 'insert_page' || change.operation === 'update_page';
      const { said, problems } = asPage ? readText(input.markdown) : { said: nothing, problems: [] };
      for (const { path, message } of problems)
        warnings.push({ path: `body.changes.${index}.document.markdown.${path}`, message });
      const stored = await storeText(organization, input.markdown);
      return { change, document: { stored, ...said } };
    }),
  );
  return { prepared, warnings };
}

const nothing: Said = { title: undefined, heading: undefined, slug: undefined, fields: {}, removed: [], unread: [] };
const emptyDocument: PreparedDocument = { stored: null, ...nothing };

type Read = ReturnType<typeof readFrontmatter>;

/** Reads what a text says of its page, in its frontmatter and by its first heading. */
export function readText(markdown: string): { said: Said; problems: Read['problems'] } {
  const { values, problems } = readFrontmatter(markdown);
  const unread = problems.map(({ path }) => path);
  return { said: { ...readPage(values), heading: getTitle(markdown), unread }, problems };
}

function readPage(values: Read['values']): Omit<Said, 'heading' | 'unread'> {
  const {
    title,
    slug,
    layout,
    cover,
    coverY,
    hidden,
    noIndex,
    noRobotsIndex,
    emoji,
    icon,
    description,
    condition,
    variables,
  } = values;
  const flags = { hidden, noIndex, noRobotsIndex };
  const texts = { emoji, icon, description, condition };
  const fields: Partial<PageFields> = {
    ...given(Object.entries({ ...texts, ...flags }).map(([key, value]) => [key, value || undefined])),
    ...given([
      ['layout', layout],
      ['variables', variables],
      ['cover', cover === undefined ? undefined : { ref: coverReference(cover), yPos: coverY ?? 0 }],
    ]),
  };
  const removed = (['emoji', 'icon', 'description', 'condition', 'hidden', 'noIndex', 'noRobotsIndex'] as const).filter(
    (key) => values[key] === '' || values[key] === false,
  );
  const slugged = slug ? slugify(slug) : undefined;
  return { title, slug: slugged, fields, removed };
}

const given = (entries: [string, unknown][]): Partial<PageFields> =>
  Object.fromEntries(entries.filter(([, value]) => value !== undefined));

const coverReference = (cover: string) =>
  /^https?:\/\//.test(cover) ? { kind: 'url' as const, url: cover } : { kind: 'file' as const, file: cover };

const defaultTitle = 'Untitled';

/** The title of a new page: its text's frontmatter, the change, the first heading. */
export const insertedTitle = (title: string | undefined, said: Said | undefined): string =>
  said?.title ?? title ?? said?.heading ?? defaultTitle;

interface Before {
  /** What the text said that the page has; undefined where it has none. */
  former: Said | undefined;
  /** The page's fields, and those that the change asks for. */
  fields: PageFields;
  asked: { readonly [key in 'title' | (typeof going)[number]]?: unknown };
  /** Whether the title is in conflict: only what sets it decides that. */
  isUndecided: boolean;
}

/** What goes with the line that said it. What keeps a page from readers stays until somebody says otherwise. */
const going = ['emoji', 'icon', 'description', 'layout', 'cover', 'variables'] as const;

const sorted = (value: unknown): string =>
  JSON.stringify(typeof value === 'object' && value !== null ? Object.entries(value).sort() : value);

/**
 * What a new text says of its page that the text before did not say, and what it says no more: what was set by field
 * otherwise stays. A title follows the heading that it is.
 */
export function newlySaid(
  document: PreparedDocument,
  { former, fields, asked, isUndecided }: Before,
): PreparedDocument {
  const { title } = fields;
  const isNew = (key: 'title' | 'slug') => document[key] !== undefined && document[key] !== former?.[key];
  const follows = asked.title === undefined && !isUndecided && title === insertedTitle(undefined, former);
  const followed = document.title ?? document.heading;
  const isTakenOut = (key: (typeof going)[number]) =>
    asked[key] === undefined &&
    !document.unread.some((path) => path === 'frontmatter' || `${path}.`.startsWith(`frontmatter.${key}.`)) &&
    former?.fields[key] !== undefined &&
    document.fields[key] === undefined &&
    sorted(former.fields[key]) === sorted(fields[key]);
  return {
    ...document,
    title: isNew('title') ? document.title : follows && followed !== title ? followed : undefined,
    slug: isNew('slug') ? document.slug : undefined,
    fields: Object.fromEntries(
      Object.entries(document.fields).filter(
        ([key, value]) => JSON.stringify(value) !== JSON.stringify(former?.fields[key as keyof Said['fields']]),
      ),
    ),
    removed: [...document.removed.filter((key) => former?.removed.includes(key) !== true), ...going.filter(isTakenOut)],
  };
}

/** The slugs that a change may give its page: what its text and its field say, or its title makes. */
export function slugsOf({ change, document }: PreparedChange): string[] {
  switch (change.operation) {
    case 'insert_page':
      return [document?.slug ?? change.slug ?? slugify(insertedTitle(change.title, document))];
    case 'insert_group':
      return [change.slug ?? slugify(change.title)];
    case 'update_page':
      return [document?.slug, change.slug].filter((slug) => slug !== undefined);
    default:
      return [];
  }
}

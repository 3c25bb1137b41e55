import { getTitle, readFrontmatter, slugify } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import type { ContentChange, Issue, OrganizationId } from '@octavo/schema';
import type { StoredBlob } from '../blobs/store-blobs.ts';
import type { PageFields } from '../store/nodes.ts';
import type { StoredText } from '../store/revisions.ts';
import { toStoredText } from '../store/revisions.ts';

/** The page fields that a text sets in its frontmatter and its first heading. */
export interface TextMetadata {
  title: string | undefined;
  heading: string | undefined;
  slug: string | undefined;
  fields: Partial<PageFields>;
  /** Fields that the frontmatter clears with an empty text or a false flag. */
  removed: (keyof PageFields)[];
  /** Paths of frontmatter values that could not be read. */
  invalidPaths: string[];
}

/** The document of a change, parsed once. `stored` is null for an empty page. */
export interface PreparedDocument extends TextMetadata {
  stored: StoredText | null;
}

/** A change with its document hashed, its frontmatter parsed and its files stored. */
export interface PreparedChange {
  change: ContentChange;
  document: PreparedDocument | undefined;
  files?: PreparedFile[];
}

/** A change with the parsed frontmatter of its document. */
export interface ReadChange {
  change: ContentChange;
  document: TextMetadata | undefined;
}

/** A new file whose bytes are stored. It has the same index as the file in the change. */
interface PreparedFile {
  name: string;
  blob: StoredBlob;
}

/** Parses the frontmatter of the document of a change. */
export function readChange(change: ContentChange): ReadChange {
  const input = 'document' in change ? change.document : undefined;
  const isPage = change.operation === 'insert_page' || change.operation === 'update_page';
  const hasText = isPage && input !== undefined && 'markdown' in input;
  return { change, document: hasText ? readText(input.markdown).metadata : input && emptyMetadata };
}

/**
 * Hashes the documents of a batch and parses their frontmatter. `warnings` list invalid frontmatter values, which stay
 * in the text and set nothing.
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
      const { metadata, problems } = asPage ? readText(input.markdown) : { metadata: emptyMetadata, problems: [] };
      for (const { path, message } of problems)
        warnings.push({ path: `body.changes.${index}.document.markdown.${path}`, message });
      const stored = await toStoredText(organization, input.markdown);
      return { change, document: { stored, ...metadata } };
    }),
  );
  return { prepared, warnings };
}

/**
 * Returns the changes with the line ends of the source files of the pages: if all lines of a page end with CRLF, an
 * edit with LF gets CRLF. Texts that come from Git stay as they are.
 */
export const keepLineEnds = (
  prepared: PreparedChange[],
  { nodes, texts }: { nodes: readonly Node[]; texts: ReadonlyMap<string, string> },
  organization: OrganizationId,
): Promise<PreparedChange[]> => {
  const files = nodes.filter(({ fields }) => fields.gitPath !== undefined);
  const formerTexts = new Map(files.map(({ id, document }) => [id, texts.get(document ?? '') ?? '']));
  return Promise.all(
    prepared.map(async (each) => {
      const { change, document } = each;
      const stored = document?.stored;
      if (change.operation !== 'update_page' || change.git !== undefined || !stored) return each;
      const former = formerTexts.get(change.page) ?? '';
      const isCrlf = former.includes('\r\n') && !/(?<!\r)\n/.test(former);
      if (!isCrlf || stored.markdown.includes('\r')) return each;
      const converted = await toStoredText(organization, stored.markdown.replaceAll('\n', '\r\n'));
      return { ...each, document: { ...document, stored: converted } };
    }),
  );
};

const emptyMetadata: TextMetadata = {
  title: undefined,
  heading: undefined,
  slug: undefined,
  fields: {},
  removed: [],
  invalidPaths: [],
};
const emptyDocument: PreparedDocument = { stored: null, ...emptyMetadata };

type FrontmatterResult = ReturnType<typeof readFrontmatter>;

/** Reads the page fields in a text's frontmatter and first heading. */
export function readText(markdown: string): { metadata: TextMetadata; problems: FrontmatterResult['problems'] } {
  const { values, problems } = readFrontmatter(markdown);
  const problemPaths = problems.map(({ path }) => path);
  return {
    metadata: { ...readPageMetadata(values), heading: getTitle(markdown), invalidPaths: problemPaths },
    problems,
  };
}

function readPageMetadata(values: FrontmatterResult['values']): Omit<TextMetadata, 'heading' | 'invalidPaths'> {
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
    ...pickDefined(Object.entries({ ...texts, ...flags }).map(([key, value]) => [key, value || undefined])),
    ...pickDefined([
      ['layout', layout],
      ['variables', variables],
      ['cover', cover === undefined ? undefined : { ref: toCoverReference(cover), yPos: coverY ?? 0 }],
    ]),
  };
  const removed = (['emoji', 'icon', 'description', 'condition', 'hidden', 'noIndex', 'noRobotsIndex'] as const).filter(
    (key) => values[key] === '' || values[key] === false,
  );
  const cleanSlug = slug ? slugify(slug) : undefined;
  return { title, slug: cleanSlug, fields, removed };
}

const pickDefined = (entries: [string, unknown][]): Partial<PageFields> =>
  Object.fromEntries(entries.filter(([, value]) => value !== undefined));

const toCoverReference = (cover: string) =>
  /^https?:\/\//.test(cover) ? { kind: 'url' as const, url: cover } : { kind: 'file' as const, file: cover };

const defaultTitle = 'Untitled';

/** Returns the title of a new page: from the frontmatter, else from the change, else from the first heading. */
export const getInsertedTitle = (title: string | undefined, metadata: TextMetadata | undefined): string =>
  metadata?.title ?? title ?? metadata?.heading ?? defaultTitle;

interface PreviousText {
  /** Metadata of the page's previous text; undefined if it had none. */
  formerMetadata: TextMetadata | undefined;
  /** The page's fields, and the fields in the change. */
  fields: PageFields;
  requested: { readonly [key in 'title' | (typeof removableFields)[number]]?: unknown };
  /** Whether the title is in conflict: then only an explicit title resolves it. */
  isUndecided: boolean;
}

/**
 * Fields that are cleared when their frontmatter line is removed. Fields that hide a page are not among them: they stay
 * until they are changed explicitly.
 */
const removableFields = ['emoji', 'icon', 'description', 'layout', 'cover', 'variables'] as const;

const toSortedJson = (value: unknown): string =>
  JSON.stringify(typeof value === 'object' && value !== null ? Object.entries(value).sort() : value);

/**
 * Returns the fields that a new text sets differently from the previous text, and the fields that it no longer sets.
 * Other values that the API set stay. A title that came from the previous text follows the new text.
 */
export function pickNewMetadata(
  document: PreparedDocument,
  { formerMetadata, fields, requested: requestedMetadata, isUndecided }: PreviousText,
): PreparedDocument {
  const { title } = fields;
  const isNew = (key: 'title' | 'slug') => document[key] !== undefined && document[key] !== formerMetadata?.[key];
  const followsText =
    requestedMetadata.title === undefined && !isUndecided && title === getInsertedTitle(undefined, formerMetadata);
  const newTitle = document.title ?? document.heading;
  const isRemovedField = (key: (typeof removableFields)[number]) =>
    requestedMetadata[key] === undefined &&
    !document.invalidPaths.some((path) => path === 'frontmatter' || `${path}.`.startsWith(`frontmatter.${key}.`)) &&
    formerMetadata?.fields[key] !== undefined &&
    document.fields[key] === undefined &&
    toSortedJson(formerMetadata.fields[key]) === toSortedJson(fields[key]);
  return {
    ...document,
    title: isNew('title') ? document.title : followsText && newTitle !== title ? newTitle : undefined,
    slug: isNew('slug') ? document.slug : undefined,
    fields: Object.fromEntries(
      Object.entries(document.fields).filter(
        ([key, value]) =>
          JSON.stringify(value) !== JSON.stringify(formerMetadata?.fields[key as keyof TextMetadata['fields']]),
      ),
    ),
    removed: [
      ...document.removed.filter((key) => formerMetadata?.removed.includes(key) !== true),
      ...removableFields.filter(isRemovedField),
    ],
  };
}

/** Returns the slugs that a change may give its page: from its text, its field or its title. */
export function getSlugs({ change, document }: ReadChange): string[] {
  switch (change.operation) {
    case 'insert_page':
      return [document?.slug ?? change.slug ?? slugify(getInsertedTitle(change.title, document))];
    case 'insert_group':
      return [change.slug ?? slugify(change.title)];
    case 'update_page':
      return [document?.slug, change.slug].filter((slug) => slug !== undefined);
    default:
      return [];
  }
}

import type { DocumentPage, LinkTarget, Page } from '@octavo/schema';

/** A page, group or link in a space. */
export interface Present {
  id: string;
  kind: 'page' | 'group' | 'link';
  title: string;
  parent: Present | undefined;
  /** Position among its siblings. */
  index: number;
  children: Present[];
  /** The slug; empty for a link. */
  slug: string;
  path: string;
  hidden: boolean;
  hasDocument: boolean;
  /** ID of the page's text. Pages with the same ID have the same text. */
  document?: string;
  target?: LinkTarget;
  /** The name of the folder or archive that the page was imported from. */
  importedFrom?: string;
  git?: { oid: string; path: string; linksId?: string | undefined };
  /** Other fields, which may also apply to the pages below. Not set for a link. */
  fields?: Partial<Pick<DocumentPage, (typeof fieldNames)[number]>>;
}

const fieldNames = [
  'emoji',
  'icon',
  'description',
  'condition',
  'noIndex',
  'noRobotsIndex',
  'layout',
  'cover',
  'variables',
] as const;

const getFields = (page: object): NonNullable<Present['fields']> =>
  Object.fromEntries(fieldNames.flatMap((key) => (key in page ? [[key, page[key as keyof typeof page]]] : [])));

const kinds = { document: 'page', group: 'group', link: 'link' } as const;

/** Returns the pages of a space as a tree of uniform objects. Computed pages are omitted because no user wrote them. */
export function presentTree(pages: readonly Page[], parent?: Present): Present[] {
  return pages.flatMap((page, index) => {
    if (page.type === 'computed') return [];
    const present: Present = {
      id: page.id,
      kind: kinds[page.type],
      title: page.title,
      parent,
      index,
      children: [],
      slug: page.type === 'link' ? '' : page.slug,
      path: page.type === 'link' ? '' : page.path,
      hidden: page.hidden === true,
      ...(page.importedFrom !== undefined && { importedFrom: page.importedFrom }),
      ...(page.type !== 'link' && { fields: getFields(page) }),
      hasDocument: page.type === 'document' && (page.documentId !== undefined || page.git !== undefined),
      ...(page.type === 'link' && { target: page.target }),
      ...(page.type === 'document' && page.git && { git: page.git }),
      ...(page.type === 'document' && page.documentId !== undefined && { document: page.documentId }),
    };
    if (page.type !== 'link') present.children = presentTree(page.pages, present);
    return [present];
  });
}

/** Yields every page, parents before children. */
export function* walkPresent(pages: readonly Present[]): Generator<Present> {
  for (const page of pages) {
    yield page;
    yield* walkPresent(page.children);
  }
}

import type { DocumentPage, LinkTarget, Page } from '@octavo/schema';

/** A page that the space holds, flat and in the order of the tree. */
export interface Present {
  id: string;
  kind: 'page' | 'group' | 'link';
  title: string;
  parent: Present | undefined;
  /** Its place among its siblings. */
  index: number;
  children: Present[];
  /** Empty for a link, which has none. */
  slug: string;
  path: string;
  hidden: boolean;
  hasDocument: boolean;
  /** What names its text: the same text, the same name. */
  document?: string;
  target?: LinkTarget;
  git?: { oid: string; path: string; linksId?: string | undefined };
  /** What else is said of it, and of what is below it; nothing for a link. */
  fields?: Partial<Pick<DocumentPage, (typeof fieldsTold)[number]>>;
}

const fieldsTold = [
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

const fieldsOf = (page: object): NonNullable<Present['fields']> =>
  Object.fromEntries(fieldsTold.flatMap((key) => (key in page ? [[key, page[key as keyof typeof page]]] : [])));

const kinds = { document: 'page', group: 'group', link: 'link' } as const;

/** The pages of a space as a tree of one kind of object; computed pages are left out, no one wrote them. */
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
      ...(page.type !== 'link' && { fields: fieldsOf(page) }),
      hasDocument: page.type === 'document' && (page.documentId !== undefined || page.git !== undefined),
      ...(page.type === 'link' && { target: page.target }),
      ...(page.type === 'document' && page.git && { git: page.git }),
      ...(page.type === 'document' && page.documentId !== undefined && { document: page.documentId }),
    };
    if (page.type !== 'link') present.children = presentTree(page.pages, present);
    return [present];
  });
}

/** Every page, parents before children. */
export function* walkPresent(pages: readonly Present[]): Generator<Present> {
  for (const page of pages) {
    yield page;
    yield* walkPresent(page.children);
  }
}

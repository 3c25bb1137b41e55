import type { Node } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import type { ComputedPage, DocumentPage, GroupPage, LinkPage, Page, PageLayout } from '@octavo/schema';
import { timestamp } from '@octavo/schema';
import type { PageFields } from '../nodes/stored-node.ts';
import { pageFields } from '../nodes/stored-node.ts';

/** Where a page stands, as far as what is above it decides: its path and the flags that cover all below. */
export interface Above {
  path: string[];
  hidden: boolean;
  noIndex: boolean;
  noRobotsIndex: boolean;
}

export const root: Above = { path: [], hidden: false, noIndex: false, noRobotsIndex: false };

export interface Presentation {
  urls: Urls;
  /** The API path of the space. */
  base: string;
  /** False leaves out the git objects. */
  metadata: boolean;
}

const defaultLayout: PageLayout = {
  width: 'default',
  cover: true,
  coverSize: 'hero',
  coverMask: 'none',
  title: true,
  description: true,
  tableOfContents: true,
  outline: true,
  pagination: true,
  metadata: true,
  tags: true,
  actions: true,
  anchors: true,
};

/** What a page hands on to those below it. */
export function below(above: Above, fields: PageFields, slug: string): Above {
  return {
    path: [...above.path, slug],
    hidden: above.hidden || fields.hidden === true,
    noIndex: above.noIndex || fields.noIndex === true,
    noRobotsIndex: above.noRobotsIndex || fields.noRobotsIndex === true,
  };
}

/** A page with the presented pages below it. */
export function presentPage(node: Node, above: Above, { children, to }: { children: Page[]; to: Presentation }): Page {
  const fields = pageFields(node);
  const common = {
    id: node.id,
    title: fields.title,
    ...pick(fields, ['emoji', 'icon', 'condition']),
    createdAt: timestamp(node.createdAt),
    updatedAt: timestamp(node.updatedAt),
  };
  if (fields.type === 'link')
    return { ...common, ...linkPart(fields, above), type: 'link', kind: 'link' } satisfies LinkPage;
  if (fields.type === 'computed') {
    const computed = fields.computed ?? { type: 'builtin:openapi' };
    const hidden = above.hidden || fields.hidden === true;
    return { ...common, computed, ...(hidden ? { hidden } : {}), type: 'computed' } satisfies ComputedPage;
  }
  const here = below(above, fields, node.slug);
  const placed = {
    ...common,
    slug: node.slug,
    path: here.path.join('/'),
    ...pick({ hidden: here.hidden, noIndex: here.noIndex, noRobotsIndex: here.noRobotsIndex }, [
      'hidden',
      'noIndex',
      'noRobotsIndex',
    ]),
    pages: children as DocumentPage['pages'],
  };
  if (fields.type === 'group') return { ...placed, type: 'group', kind: 'group' } satisfies GroupPage;
  return {
    ...placed,
    type: 'document',
    kind: 'sheet',
    urls: { app: to.urls.app(`${to.base}/content/page/${node.id}`) },
    ...pick(fields, ['description', 'cover', 'variables']),
    ...(node.document === null ? {} : { documentId: node.document }),
    ...(to.metadata && node.oid !== undefined && fields.gitPath !== undefined
      ? { git: { oid: node.oid, path: fields.gitPath } }
      : {}),
    layout: Object.assign({}, defaultLayout, fields.layout),
    tags: [],
  } satisfies DocumentPage;
}

function linkPart(fields: PageFields, above: Above): Pick<LinkPage, 'target' | 'href' | 'hidden'> {
  const target = fields.target ?? { kind: 'url' as const, url: '' };
  const hidden = above.hidden || fields.hidden === true;
  return { target, ...(target.kind === 'url' ? { href: target.url } : {}), ...(hidden ? { hidden } : {}) };
}

/** The named fields that have a value; a flag that is false counts as none. */
function pick<Source extends object, Key extends keyof Source>(
  source: Source,
  keys: Key[],
): { [Name in Key]?: NonNullable<Source[Name]> } {
  return Object.fromEntries(
    keys.map((key) => [key, source[key]]).filter(([, value]) => value !== undefined && value !== false),
  ) as {
    [Name in Key]?: NonNullable<Source[Name]>;
  };
}

import type { SitePreview } from '@octavo/reader';
import type { PublishedContent, RevisionId, SemanticChange, SemanticChanges } from '@octavo/schema';
import type { ResolvedContent } from '../resolution/resolve-address.ts';
import { encodePath, type PageTree } from './navigation.ts';
import { SiteCache } from './site-cache.ts';
import type { SiteVisit } from './site-visit.ts';

/** Maximum number of changes that the banner of a preview lists. */
const maxChanges = 30;

/** Whether the content belongs to a change request or a revision. */
export const isPreview = ({ changeRequest, revision }: PublishedContent): boolean =>
  changeRequest !== undefined || revision !== undefined;

type ApiPageChange = Extract<SemanticChange, { page: object }>;
type ChangeKind = (typeof kinds)[ApiPageChange['type']];

const kinds = {
  page_created: 'added',
  page_edited: 'edited',
  page_moved: 'moved',
  page_deleted: 'deleted',
} as const satisfies Record<ApiPageChange['type'], string>;

/** A change of a page that the banner of a preview lists. */
interface PageChange {
  id: string;
  title: string;
  kind: ChangeKind;
  /** Whether the page has another address in the live content, or none. */
  hasOtherAddress: boolean;
}

/** The changes of a change request or a revision. */
export interface PreviewChanges {
  pages: PageChange[];
  /** Whether the list of changes is complete. */
  isComplete: boolean;
}

const isPageChange = (change: SemanticChange): change is ApiPageChange => change.type in kinds;

const hasOtherAddress = (change: ApiPageChange): boolean =>
  change.type === 'page_edited' ? change.attributes.slug !== undefined : change.type !== 'page_deleted';

const changesCache = new SiteCache<PreviewChanges>({
  ...{ maxBytes: 2 * 1024 * 1024, maxBytesPerSite: 512 * 1024 },
  getBytes: ({ pages }) => pages.reduce((sum, { title }) => sum + 2 * title.length + pageChangeBytes, 0),
});
/** Estimated memory of a change, besides its title. */
const pageChangeBytes = 200;

type ChangesSource = Pick<SiteVisit, 'content' | 'api' | 'background'> & { apiPath: string; revision: RevisionId };

/**
 * Reads the changes of a change request or a revision from the API, with the rights of the previewing member, who can
 * read the revision. They depend only on the revision, so they are cached.
 */
export async function readPreviewChanges(source: ChangesSource): Promise<PreviewChanges> {
  const { content, api, apiPath, revision, background } = source;
  const load = async (): Promise<PreviewChanges | undefined> => {
    const changes = await api.get<SemanticChanges>(`${apiPath}/changes?limit=${maxChanges}&diffs=false`);
    if (changes === undefined) return undefined;
    const pages = changes.changes.filter(isPageChange).map((change) => {
      const { id, title } = change.page;
      return { id, title, kind: kinds[change.type], hasOtherAddress: hasOtherAddress(change) };
    });
    return { pages, isComplete: (changes.more ?? 0) === 0 };
  };
  const key = [content.space, content.changeRequest, revision].join(' ');
  return (await changesCache.get(content.site, key, { load, background })) ?? { pages: [], isComplete: true };
}

interface PreviewInput {
  content: ResolvedContent;
  tree: PageTree;
  changes: PreviewChanges;
}

/** Creates the banner of a preview. */
export function createPreviewView({ content, tree, changes }: PreviewInput): SitePreview {
  const path = decodeURIComponent(content.pathname.slice(1));
  const page = tree.findPage(path) ?? tree.findPart(path)?.page;
  const isOnPath = (id: string): boolean => {
    const changed = tree.find(id);
    return changed !== undefined && page !== undefined && `${page.path}/`.startsWith(`${changed.path}/`);
  };
  const { isComplete } = changes;
  const isSameAddress = isComplete && !changes.pages.some((change) => change.hasOtherAddress && isOnPath(change.id));
  const live = tree.base.replace(/~\/(?:changes|revisions)\/[^/]+\/$/, '');
  const pages = [...Map.groupBy(changes.pages, ({ id }) => id)].map(([id, ofPage]) => {
    const page = tree.find(id);
    const title = page?.title ?? ofPage[0]?.title ?? '';
    return { title, to: page && tree.getPath(page), kinds: ofPage.map(({ kind }) => kind) };
  });
  const name = content.changeRequest === undefined ? undefined : content.previewed;
  return {
    changeRequest: name && { number: name.number, subject: name.subject },
    pages,
    isComplete,
    exit: page !== undefined && page !== tree.home && isSameAddress ? `${live}${encodePath(page.path)}` : live,
  };
}

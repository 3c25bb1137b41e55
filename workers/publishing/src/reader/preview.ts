import type { SitePreview } from '@octavo/reader';
import type { PublishedContent, SemanticChange, SemanticChanges } from '@octavo/schema';
import type { ResolvedContent } from '../resolution/resolve-address.ts';
import { encodePath, type PageTree } from './navigation.ts';
import type { SiteApi } from './site-visit.ts';

/** Maximum number of changes that the banner of a preview lists. */
const maxChanges = 30;

/** Whether the content is that of a change request or a revision. */
export const isPreview = ({ changeRequest, revision }: PublishedContent): boolean =>
  changeRequest !== undefined || revision !== undefined;

/** Reads the changes of a change request or a revision from the API, with the rights of the previewing member. */
export const readPreviewChanges = (api: SiteApi, apiPath: string): Promise<SemanticChanges | undefined> =>
  api.get<SemanticChanges>(`${apiPath}/changes?limit=${maxChanges}`);

type PageChange = Extract<SemanticChange, { page: object }>;

const kinds = {
  page_created: 'added',
  page_edited: 'edited',
  page_moved: 'moved',
  page_deleted: 'deleted',
} as const satisfies Record<PageChange['type'], string>;

const isPageChange = (change: SemanticChange): change is PageChange => change.type in kinds;

/** Whether a page has another address in the live content, or none. */
const hasOtherAddress = (change: PageChange): boolean =>
  change.type === 'page_edited' ? change.attributes.slug !== undefined : change.type !== 'page_deleted';

interface PreviewInput {
  content: ResolvedContent;
  tree: PageTree;
  changes: SemanticChanges | undefined;
}

/** Creates the banner of a preview. */
export function createPreviewView({ content, tree, changes }: PreviewInput): SitePreview {
  const path = decodeURIComponent(content.pathname.slice(1));
  const page = tree.findPage(path) ?? tree.findPart(path)?.page;
  const all = (changes?.changes ?? []).filter(isPageChange);
  const isOnPath = (id: string): boolean => {
    const changed = tree.find(id);
    return changed !== undefined && page !== undefined && `${page.path}/`.startsWith(`${changed.path}/`);
  };
  const isComplete = (changes?.more ?? 0) === 0;
  const isSameAddress = isComplete && !all.some((change) => hasOtherAddress(change) && isOnPath(change.page.id));
  const live = tree.base.replace(/~\/(?:changes|revisions)\/[^/]+\/$/, '');
  const pages = [...Map.groupBy(all, (change) => change.page.id)].map(([id, [first, ...others]]) => {
    const found = tree.find(id);
    return {
      title: found?.title ?? first?.page.title ?? '',
      to: found && tree.getPath(found),
      kinds: [first, ...others].flatMap((change) => (change === undefined ? [] : kinds[change.type])),
    };
  });
  const name = content.changeRequest === undefined ? undefined : content.previewed;
  return {
    changeRequest: name && { number: name.number, subject: name.subject },
    pages,
    isComplete,
    exit: page !== undefined && page !== tree.home && isSameAddress ? `${live}${encodePath(page.path)}` : live,
  };
}

import type { DocumentPage } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { getChangeRequestAddress } from '../change-requests/status-label.tsx';
import { useDiscussion } from '../comments/discussion.ts';
import { useRecordedVisit } from '../home/bookmarks.ts';
import { ReadPage } from '../page/page-view.tsx';
import { getPageAddress } from '../page/resolve-reference.ts';
import type { ScreenProps } from '../routes.ts';
import { usePlace } from '../session.ts';
import { NotFoundScreen } from '../shell/not-found-screen.tsx';
import { AppScreen } from '../shell/screen.tsx';
import { getSpaceTitle } from '../shell/sidebar.tsx';
import { EmptyState, isMissing, LoadedContent } from '../ui/states.tsx';
import { useApi } from '../use-api.ts';
import { describeDraft, useDrafts } from './draft-field.tsx';
import { NewPageDialog } from './new-page-dialog.tsx';
import { PageActions } from './page-actions.tsx';
import { SpaceActions } from './space-actions.tsx';
import { findFirstPage, getAncestors, usePages } from './use-pages.ts';

/** The query of a page that is drawn. */
export const pageQuery = { format: 'document', dereferenced: true, depth: 0 };

/** A page of the live content. */
export function PageScreen({ params: { space = '', page: id = '' } }: ScreenProps): VNode {
  const path = `/spaces/${space}`;
  const page = useApi<DocumentPage>(`${path}/content/page/${id}`, pageQuery);
  const pages = usePages(path).value;
  const { space: loadedSpace } = usePlace();
  const discussion = useDiscussion(path, {
    organization: loadedSpace?.value?.organization,
    canComment: loadedSpace?.value?.permissions.comment === true,
    page: id,
  });
  useRecordedVisit(space, page.value?.id);
  if (isMissing(page)) return <NotFoundScreen />;
  const ancestors = pages === undefined ? [] : getAncestors(pages, id);
  const crumbs = [
    ...(loadedSpace?.value === undefined ? [] : [{ label: getSpaceTitle(loadedSpace.value), href: `/app${path}` }]),
    ...ancestors.map((each) => ({ label: each.title, href: getPageAddress(path, each.id) })),
  ];
  return (
    <AppScreen
      title={page.value?.title ?? pages?.byId.get(id)?.title ?? 'Page'}
      crumbs={crumbs}
      heading={false}
      isWide
      actions={page.value && loadedSpace?.value && <PageActions space={loadedSpace.value} page={page.value} />}
    >
      <LoadedContent loaded={page} lines={10}>
        {(value) => <ReadPage key={value.id} point={{ space, path }} page={value} discussion={discussion} />}
      </LoadedContent>
    </AppScreen>
  );
}

/** A space: its first page, or the ways to write or import one. */
export function SpaceScreen(props: ScreenProps): VNode {
  const { space = '' } = props.params;
  const pages = usePages(`/spaces/${space}`);
  const { space: loadedSpace } = usePlace();
  const first = pages.value && findFirstPage(pages.value.roots);
  if (first !== undefined) return <PageScreen {...props} params={{ ...props.params, page: first.id }} />;
  const title = loadedSpace?.value === undefined ? 'Space' : getSpaceTitle(loadedSpace.value);
  // The screen of the first page has another menu. An open menu would close when that screen replaces this one.
  const isKnown = pages.value !== undefined || pages.error !== undefined;
  return (
    <AppScreen title={title} actions={isKnown && loadedSpace?.value && <SpaceActions space={loadedSpace.value} />}>
      <LoadedContent loaded={pages}>
        {() => <EmptySpace space={space} canEdit={loadedSpace?.value?.permissions.edit === true} />}
      </LoadedContent>
    </AppScreen>
  );
}

/** Number of drafts that an empty space offers. All others are in the list of change requests. */
const maxListedDrafts = 3;

interface EmptySpaceProps {
  space: string;
  canEdit: boolean;
}

/** The first steps in a space without pages: the user's drafts, or the ways to write or import the first page. */
function EmptySpace({ space, canEdit }: EmptySpaceProps): VNode {
  const [isCreating, setCreating] = useState(false);
  const { value: drafts = [] } = useDrafts(canEdit ? space : undefined);
  const hasDrafts = drafts.length > 0;
  return (
    <EmptyState icon="book" title={hasDrafts ? 'No merged pages yet' : 'This space has no pages yet'}>
      {canEdit && (
        <>
          <p>
            {hasDrafts
              ? 'Readers see the pages of your drafts after you merge them.'
              : 'Write the first page, or import a folder, a zip file or a website.'}
          </p>
          <div class="empty-actions">
            {drafts.slice(0, maxListedDrafts).map((draft) => (
              <a key={draft.id} class="button primary" href={`/app${getChangeRequestAddress(draft)}`}>
                Open change request {describeDraft(draft)}
              </a>
            ))}
            <button type="button" class={hasDrafts ? 'button' : 'button primary'} onClick={() => setCreating(true)}>
              {hasDrafts ? 'Write another page' : 'Write the first page'}
            </button>
            <a class="button" href={`/app/spaces/${space}/import`}>
              Import content
            </a>
          </div>
          {isCreating && <NewPageDialog space={space} onClose={() => setCreating(false)} />}
        </>
      )}
    </EmptyState>
  );
}

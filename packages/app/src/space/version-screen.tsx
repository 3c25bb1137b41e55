import type { DocumentPage } from '@octavo/schema';
import type { VNode } from 'preact';
import { ReadPage } from '../page/page-view.tsx';
import { getPageAddress } from '../page/resolve-reference.ts';
import type { ScreenProps } from '../routes.ts';
import { usePlace } from '../session.ts';
import { NotFoundScreen } from '../shell/not-found-screen.tsx';
import { AppScreen } from '../shell/screen.tsx';
import { getSpaceTitle } from '../shell/sidebar.tsx';
import { isMissing, LoadedContent } from '../ui/states.tsx';
import { useApi } from '../use-api.ts';
import { pageQuery } from './page-screen.tsx';
import { RestoreButton } from './restore-button.tsx';

/** A page as it was at a revision. */
export function VersionScreen({ params: { space: id = '', revision = '', page: pageId = '' } }: ScreenProps): VNode {
  const path = `/spaces/${id}/revisions/${revision}`;
  const page = useApi<DocumentPage>(`${path}/page/${pageId}`, pageQuery);
  const space = usePlace().space?.value;
  const title = page.value?.title ?? 'Page';
  if (isMissing(page)) return <NotFoundScreen />;
  return (
    <AppScreen
      title={title}
      crumbs={[
        ...(space === undefined ? [] : [{ label: getSpaceTitle(space), href: `/app/spaces/${id}` }]),
        { label: 'History', href: `/app/spaces/${id}/history?page=${pageId}` },
      ]}
      heading={false}
      isWide
      actions={
        space?.permissions.edit === true && (
          <RestoreButton
            space={space}
            item={{ kind: 'page', id: pageId, title, revision }}
            text="Restore this version"
          />
        )
      }
    >
      <p class="version-note">
        This is an earlier version of the page.{' '}
        <a href={getPageAddress(`/spaces/${id}`, pageId)}>Open the current page</a>
      </p>
      <LoadedContent loaded={page} lines={10}>
        {(value) => <ReadPage key={revision} point={{ space: id, path }} page={value} />}
      </LoadedContent>
    </AppScreen>
  );
}

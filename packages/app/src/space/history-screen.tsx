import type { RevisionSummary, SemanticChanges, Space } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ChangedItem } from '../change-requests/changed-items.ts';
import { Differences } from '../change-requests/differences.tsx';
import { getUserName } from '../comments/names.ts';
import { getPageAddress } from '../page/resolve-reference.ts';
import type { ScreenProps } from '../routes.ts';
import { NotFoundScreen } from '../shell/not-found-screen.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { EmptyState, isMissing, LoadedContent } from '../ui/states.tsx';
import { RelativeTime } from '../ui/time.tsx';
import { useApi, useList } from '../use-api.ts';
import { RestoreButton } from './restore-button.tsx';
import { SpaceSubscreen } from './space-screen-frame.tsx';
import { usePages } from './use-pages.ts';

/** Number of revisions that are shown at first, and that each "Show more" adds. */
const pageSize = 50;

/** Number of changes of a revision that are shown. */
const maxChanges = 100;

/** The revisions of the live content, or those that changed one page, newest first. */
export function HistoryScreen({ params: { revision, space: id }, query }: ScreenProps): VNode {
  const page = query.get('page') ?? undefined;
  const pages = usePages(page === undefined ? undefined : `/spaces/${id}`).value;
  const opened = useApi<SemanticChanges>(revision && `/spaces/${id}/revisions/${revision}/changes`, {
    limit: maxChanges,
  });
  if (isMissing(opened)) return <NotFoundScreen />;
  const title = page === undefined ? undefined : (pages?.byId.get(page)?.title ?? 'a page');
  return (
    <SpaceSubscreen
      title={title === undefined ? 'History' : `History of ${title}`}
      lead={
        page === undefined
          ? 'All changes to the live content. Open a change to view or restore its pages.'
          : 'All changes to this page in the live content. Open a change to view or restore that version.'
      }
    >
      {(space) => <RevisionList key={page} space={space} page={page} opened={revision} />}
    </SpaceSubscreen>
  );
}

interface RevisionListProps {
  space: Space;
  /** The page whose changes are shown; undefined for all pages. */
  page: string | undefined;
  /** The revision that is open at first. */
  opened: string | undefined;
}

function RevisionList({ space, page, opened }: RevisionListProps): VNode {
  const [max, setMax] = useState(pageSize);
  const query = { limit: pageSize, targetPage: page };
  const revisions = useList<RevisionSummary>(`/spaces/${space.id}/revisions`, query, max);
  return (
    <LoadedContent loaded={revisions} lines={8}>
      {(all) =>
        all.length === 0 ? (
          <EmptyState icon="clock" title="No changes yet" />
        ) : (
          <>
            <ul class="rows">
              {all.map((revision) => (
                <RevisionRow
                  key={revision.id}
                  space={space}
                  page={page}
                  revision={revision}
                  isNewest={revision === all[0]}
                  isOpened={revision.id === opened}
                />
              ))}
            </ul>
            {all.length >= max && (
              <p class="more">
                <button type="button" class="button" onClick={() => setMax(max + pageSize)}>
                  Show more
                </button>
              </p>
            )}
          </>
        )
      }
    </LoadedContent>
  );
}

interface RevisionRowProps {
  space: Space;
  page: string | undefined;
  revision: RevisionSummary;
  /** Whether it is the newest revision of the list, so that restoring it changes nothing. */
  isNewest: boolean;
  isOpened: boolean;
}

function RevisionRow({ space, page, revision, isNewest, isOpened }: RevisionRowProps): VNode {
  const [isOpen, setOpen] = useState(isOpened);
  const { summary, author, createdAt, changeRequest } = revision;
  return (
    <li>
      <button type="button" class="row row-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Avatar name={getUserName(author)} photo={author.photoURL} />
        <span class="grow">
          <span class="strong">{changeRequest?.subject || summary || 'Edited'}</span>
          <small>
            {getUserName(author)} · <RelativeTime time={createdAt} />
            {changeRequest !== undefined && ` · Change request #${changeRequest.number}`}
          </small>
        </span>
        <UiIcon name={isOpen ? 'chevron-down' : 'chevron-right'} />
      </button>
      {isOpen && (
        <div class="row-details">
          {changeRequest !== undefined && (
            <p>
              <a href={`/app/spaces/${space.id}/change-requests/${changeRequest.id}`}>
                Open change request #{changeRequest.number}
              </a>
            </p>
          )}
          <RevisionChanges space={space} page={page} revision={revision} isNewest={isNewest} />
        </div>
      )}
    </li>
  );
}

function RevisionChanges({ space, page, revision, isNewest }: Omit<RevisionRowProps, 'isOpened'>): VNode {
  const path = `/spaces/${space.id}/revisions/${revision.id}`;
  const query = page === undefined ? { limit: maxChanges } : { targetPage: page };
  const changes = useApi<SemanticChanges>(`${path}/changes`, query);
  const compared = { space: space.id, path, base: revision.parents[0], revision: revision.id };
  return (
    <LoadedContent loaded={changes} lines={2}>
      {(value) =>
        value.changes.length === 0 ? (
          <p class="hint-text">No pages changed.</p>
        ) : (
          <Differences
            compared={compared}
            changes={value}
            getActions={(item) => (
              <VersionActions space={space} revision={revision.id} item={item} canRestore={!isNewest} />
            )}
          />
        )
      }
    </LoadedContent>
  );
}

interface VersionActionsProps {
  space: Space;
  revision: string;
  item: ChangedItem;
  canRestore: boolean;
}

/** Opens or restores the page as it was after a revision. */
function VersionActions({ space, revision, item: { page, title }, canRestore }: VersionActionsProps): VNode | null {
  if (page === undefined || page.isDeleted) return null;
  return (
    <p class="changed-actions">
      {page.type === 'document' && (
        <a class="button small" href={getPageAddress(`/spaces/${space.id}/revisions/${revision}`, page.id)}>
          <UiIcon name="file" />
          Open this version
        </a>
      )}
      {canRestore && space.permissions.edit && (
        <RestoreButton
          space={space}
          item={{ kind: 'page', id: page.id, title, revision }}
          label={`Restore this version of ${title}`}
          isSmall
        />
      )}
    </p>
  );
}

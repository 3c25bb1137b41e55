import type { Revision, RevisionSummary, SemanticChanges, Space } from '@octavo/schema';
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
import { useApi, useGrowingList } from '../use-api.ts';
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
  const path = `/spaces/${space.id}/revisions`;
  const revisions = useGrowingList<RevisionSummary>(path, { limit: pageSize, targetPage: page }, pageSize);
  const isUnlisted = opened !== undefined && revisions.value?.every(({ id }) => id !== opened) === true;
  const unlisted = useApi<Revision>(isUnlisted ? `${path}/${opened}` : undefined, withoutPages);
  return (
    <>
      {unlisted.value !== undefined && (
        <ul class="rows">
          <RevisionRow space={space} page={page} revision={toEntry(unlisted.value)} isNewest={false} isOpened />
        </ul>
      )}
      <LoadedContent loaded={revisions} lines={8}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState icon="clock" title="No changes yet" />
          ) : (
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
          )
        }
      </LoadedContent>
    </>
  );
}

/** The fields of a revision that a row shows. The API returns the author and the summary only in the history. */
type HistoryEntry = Pick<RevisionSummary, 'id' | 'parents' | 'createdAt' | 'changeRequest'> &
  Partial<Pick<RevisionSummary, 'author' | 'summary'>>;

/** The query of a revision without the pages of its content. */
const withoutPages = { depth: 0, metadata: false, computed: false };

const toEntry = ({ id, parents, createdAt, mergedFrom }: Revision): HistoryEntry => ({
  ...{ id, parents, createdAt },
  ...(mergedFrom === undefined
    ? {}
    : { changeRequest: { id: mergedFrom.id, number: mergedFrom.number, subject: mergedFrom.subject } }),
});

interface RevisionRowProps {
  space: Space;
  page: string | undefined;
  revision: HistoryEntry;
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
        {author === undefined ? <UiIcon name="clock" /> : <Avatar name={getUserName(author)} photo={author.photoURL} />}
        <span class="grow">
          <span class="strong">{changeRequest?.subject || summary || 'Edited'}</span>
          <small>
            {author !== undefined && `${getUserName(author)} · `}
            <RelativeTime time={createdAt} />
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

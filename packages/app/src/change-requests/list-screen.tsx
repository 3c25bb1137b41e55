import type { ChangeRequest, ChangeRequestStatus, Space, User } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { type ApiQuery, listAll } from '../api.ts';
import { getUserName } from '../comments/names.ts';
import type { ScreenProps } from '../routes.ts';
import { usePlace, useUser } from '../session.ts';
import { AppScreen } from '../shell/screen.tsx';
import { getSpaceTitle } from '../shell/sidebar.tsx';
import { FilterSelect } from '../ui/filter-select.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { EmptyState, LoadedContent, LoadingLines } from '../ui/states.tsx';
import { RelativeTime } from '../ui/time.tsx';
import { type LoadOptions, useGrowingList, useLoaded } from '../use-api.ts';
import { CreateDialog } from './create-dialog.tsx';
import { getChangeRequestAddress, StatusLabel } from './status-label.tsx';
import { getNumberPrefix, getSubject } from './subject.ts';

const tabs: [ChangeRequestStatus, string][] = [
  ['open', 'Open'],
  ['draft', 'Draft'],
  ['merged', 'Merged'],
  ['archived', 'Archived'],
];

/** The filters that relate to the signed-in user: id, label and query parameter of the API. */
const filters: [string, string, string | undefined][] = [
  ['all', 'Everyone', undefined],
  ['mine', 'Created by me', 'creator'],
  ['review', 'Waiting for my review', 'requestedReviewer'],
  ['contributed', 'Contributed by me', 'contributor'],
];

/** Number of change requests that are shown at first, and that each "Show more" adds. */
const pageSize = 50;

/** Returns the first status of closed change requests that a space has, or 'open' if it has none. */
async function findClosedStatus(space: string, options: LoadOptions): Promise<ChangeRequestStatus> {
  const statuses = ['merged', 'archived'] as const;
  const found = await Promise.all(
    statuses.map((status) => listAll<ChangeRequest>(`/spaces/${space}/change-requests`, { status }, 1, options)),
  );
  return statuses.find((_, index) => found[index]?.length === 1) ?? 'open';
}

/** Returns the status of the first tab with change requests. It is undefined until it is known. */
function useFirstStatus(space: Space | undefined): ChangeRequestStatus | undefined {
  const active = space?.changeRequestsOpen ? 'open' : space?.changeRequestsDraft ? 'draft' : undefined;
  const closed = useLoaded(space && active === undefined ? `first status ${space.id}` : undefined, (options) =>
    findClosedStatus(space?.id ?? '', options),
  );
  return active ?? (closed.error === undefined ? closed.value : 'open');
}

function createQuery(query: URLSearchParams, user: User | undefined): ApiQuery {
  const filter = filters.find(([name]) => name === query.get('by'))?.[2];
  const status = tabs.find(([name]) => name === query.get('status'))?.[0] ?? 'open';
  return { status, orderBy: 'updatedAt', ...(filter === undefined ? {} : { [filter]: user?.id }) };
}

/** The change requests of a space, by their status. */
export function ChangeRequestListScreen({ params, query }: ScreenProps): VNode {
  const [isCreating, setCreating] = useState(false);
  const { space } = usePlace();
  const firstStatus = useFirstStatus(space?.value);
  const status = query.get('status') ?? firstStatus;
  const shown = new URLSearchParams({ by: query.get('by') ?? 'all', ...(status === undefined ? {} : { status }) });
  const id = params.space ?? '';
  const canEdit = space?.value?.permissions.edit === true;
  const create = canEdit && (
    <button type="button" class="button primary" onClick={() => setCreating(true)}>
      <UiIcon name="plus" />
      New change request
    </button>
  );
  const crumbs = space?.value ? [{ label: getSpaceTitle(space.value), href: `/app/spaces/${id}` }] : [];
  return (
    <AppScreen title="Change requests" crumbs={crumbs} actions={create || undefined}>
      <ListFilters space={space?.value} id={id} query={shown} />
      {status === undefined ? <LoadingLines /> : <ChangeRequestList key={`${shown}`} space={id} query={shown} />}
      {isCreating && <CreateDialog space={id} onClose={() => setCreating(false)} />}
    </AppScreen>
  );
}

function ListFilters({ space, id, query }: { space: Space | undefined; id: string; query: URLSearchParams }): VNode {
  const status = query.get('status') ?? 'open';
  const by = query.get('by') ?? 'all';
  const counts: Partial<Record<ChangeRequestStatus, number>> =
    space === undefined ? {} : { open: space.changeRequestsOpen, draft: space.changeRequestsDraft };
  const createAddress = (changes: Record<string, string>): string =>
    `/spaces/${id}/change-requests?${new URLSearchParams({ status, by, ...changes })}`;
  return (
    <div class="list-filters">
      <nav class="view-tabs" aria-label="Status">
        {tabs.map(([name, label]) => (
          <a
            key={name}
            href={`/app${createAddress({ status: name })}`}
            aria-current={name === status ? 'page' : undefined}
          >
            {label}
            {counts[name] !== undefined && <span class="count">{counts[name]}</span>}
          </a>
        ))}
      </nav>
      <FilterSelect
        label="Show change requests of"
        value={by}
        options={filters}
        createAddress={(value) => createAddress({ by: value })}
      />
    </div>
  );
}

function ChangeRequestList({ space, query }: { space: string; query: URLSearchParams }): VNode {
  const { value: user } = useUser();
  const path = user && `/spaces/${space}/change-requests`;
  const loaded = useGrowingList<ChangeRequest>(path, createQuery(query, user), pageSize);
  return (
    <LoadedContent loaded={loaded}>
      {(all) =>
        all.length === 0 ? (
          <EmptyState icon="pull" title="No change requests">
            <p>A change request collects edits that others can review before they are published.</p>
          </EmptyState>
        ) : (
          <ul class="rows">
            {all.map((each) => (
              <ChangeRequestRow key={each.id} changeRequest={each} />
            ))}
          </ul>
        )
      }
    </LoadedContent>
  );
}

function ChangeRequestRow({ changeRequest }: { changeRequest: ChangeRequest }): VNode {
  const { status, createdBy, mergedBy, mergedAt, updatedAt, comments, outdated } = changeRequest;
  return (
    <li>
      <a class="row" href={`/app${getChangeRequestAddress(changeRequest)}`}>
        <UiIcon name="pull" />
        <span class="grow">
          <span class="strong">{getSubject(changeRequest)}</span>
          <small>
            {getNumberPrefix(changeRequest)}by {getUserName(createdBy)}
            {mergedBy !== undefined && `, merged by ${getUserName(mergedBy)}`}
          </small>
        </span>
        {outdated && ['open', 'draft'].includes(status) && <span class="label">Behind live content</span>}
        {comments > 0 && (
          <span class="comment-count" title={comments === 1 ? '1 open comment' : `${comments} open comments`}>
            <UiIcon name="comment" />
            {comments}
            <span class="hidden"> open comments</span>
          </span>
        )}
        <StatusLabel status={status} />
        <small>
          <RelativeTime time={mergedAt ?? updatedAt} />
        </small>
      </a>
    </li>
  );
}

import type { ChangeRequest, Favorite, Organization, Recent, Space } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { ApiRequestError, api, listAll } from '../api.ts';
import { getNumberPrefix, getSubject } from '../change-requests/subject.ts';
import { NewSpaceDialog } from '../organization/new-space-dialog.tsx';
import { navigate } from '../router.ts';
import { useOrganizations, useUser } from '../session.ts';
import { AppScreen } from '../shell/screen.tsx';
import { getSpaceTitle } from '../shell/sidebar.tsx';
import { Avatar } from '../ui/avatar.tsx';
import { TextDialog } from '../ui/dialog.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { EmptyState, LoadedContent } from '../ui/states.tsx';
import { RelativeTime } from '../ui/time.tsx';
import { type LoadedValue, useLoaded } from '../use-api.ts';
import { getBookmarkPath, useFavorites, useRecents } from './bookmarks.ts';

/** Number of organizations whose content is shown, and of items of each list. */
const maxOrganizations = 10;
const maxShown = 8;

/** Returns an empty list for an organization that the user cannot read, because it requires single sign-on. */
function omitForbidden(error: unknown): [] {
  if (error instanceof ApiRequestError && error.status === 403) return [];
  throw error;
}

/** Reads a list for each organization and joins the lists. */
function useListPerOrganization<Item>(
  name: string,
  organizations: Organization[] | undefined,
  read: (organization: string) => Promise<Item[]>,
): LoadedValue<Item[]> {
  const ids = organizations?.slice(0, maxOrganizations).map(({ id }) => id);
  return useLoaded(ids && `${name} ${ids.join()}`, async () => {
    const lists = (ids ?? []).map((id) => read(id).catch(omitForbidden));
    return (await Promise.all(lists)).flat();
  });
}

/** Selects change requests that are not merged or archived, the most recently changed first. */
const activeQuery = { status: ['draft', 'open'], orderBy: 'updatedAt' };

const sortByUpdate = <Item extends { updatedAt: string }>(items: Item[]): Item[] =>
  items.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)).slice(0, maxShown);

/** The home screen: favorites, recently opened pages, open change requests, and recently changed spaces. */
export function HomeScreen(): VNode {
  const organizations = useOrganizations();
  const { value: user } = useUser();
  const { value: favorites } = useFavorites();
  const { value: recents } = useRecents();
  const spaces = useListPerOrganization<Space>('home spaces', organizations.value, (id) =>
    listAll(`/orgs/${id}/spaces`),
  );
  const changeRequests = useListPerOrganization<ChangeRequest>(
    `home change requests ${user?.id}`,
    user && organizations.value,
    (id) => listAll(`/orgs/${id}/change-requests`, { creator: user?.id, ...activeQuery }, maxShown),
  );
  const reviews = useListPerOrganization<ChangeRequest>(`home reviews ${user?.id}`, user && organizations.value, (id) =>
    listAll(`/orgs/${id}/change-requests`, { requestedReviewer: user?.id, ...activeQuery }, maxShown),
  );
  return (
    <AppScreen title="Home" actions={<NewSpaceButton organizations={organizations.value ?? []} />}>
      {reviews.value !== undefined && reviews.value.length > 0 && (
        <section>
          <h2>Waiting for my review</h2>
          <ChangeRequestRows changeRequests={sortByUpdate(reviews.value)} spaces={spaces.value ?? []} />
        </section>
      )}
      <BookmarkSection title="Favorites" bookmarks={favorites?.items ?? []} />
      <BookmarkSection title="Recently opened" bookmarks={recents?.items.slice(0, maxShown) ?? []} />
      {changeRequests.value !== undefined && changeRequests.value.length > 0 && (
        <section>
          <h2>My change requests</h2>
          <ChangeRequestRows changeRequests={sortByUpdate(changeRequests.value)} spaces={spaces.value ?? []} />
        </section>
      )}
      <section>
        <h2>Recently changed spaces</h2>
        <LoadedContent loaded={spaces}>{(all) => <SpaceCards spaces={sortByUpdate(all)} />}</LoadedContent>
      </section>
      <section>
        <div class="section-head">
          <h2>Organizations</h2>
          <NewOrganizationButton reload={organizations.reload} />
        </div>
        <LoadedContent loaded={organizations}>{(all) => <OrganizationRows organizations={all} />}</LoadedContent>
      </section>
    </AppScreen>
  );
}

interface BookmarkSectionProps {
  title: string;
  bookmarks: (Favorite | Recent)[];
}

/** A section with links to pages and spaces. Without links, the section is hidden. */
const BookmarkSection = ({ title, bookmarks }: BookmarkSectionProps): VNode | null =>
  bookmarks.length === 0 ? null : (
    <section>
      <h2>{title}</h2>
      <ul class="rows">
        {bookmarks.map((bookmark) => (
          <BookmarkRow key={bookmark.urls.app} bookmark={bookmark} />
        ))}
      </ul>
    </section>
  );

function BookmarkRow({ bookmark }: { bookmark: Favorite | Recent }): VNode {
  const { space, page } = bookmark;
  const spaceTitle = getSpaceTitle(space);
  return (
    <li>
      <a class="row" href={getBookmarkPath(bookmark)}>
        {page?.emoji === undefined && page !== undefined ? (
          <UiIcon name="file" />
        ) : (
          <Avatar name={spaceTitle} emoji={page?.emoji ?? space.emoji} isSquare />
        )}
        <span class="grow">
          <span class="strong">{page?.title || spaceTitle}</span>
          {page !== undefined && <small>{spaceTitle}</small>}
        </span>
        {'openedAt' in bookmark && (
          <small>
            <RelativeTime time={bookmark.openedAt} />
          </small>
        )}
      </a>
    </li>
  );
}

/** Creates a space in one of the organizations in which the user may do so. */
function NewSpaceButton({ organizations }: { organizations: Organization[] }): VNode | null {
  const [isCreating, setCreating] = useState(false);
  const available = organizations.filter(({ permissions }) => permissions.createContent);
  if (available.length === 0) return null;
  return (
    <>
      <button type="button" class="button primary" onClick={() => setCreating(true)}>
        <UiIcon name="plus" />
        New space
      </button>
      {isCreating && <NewSpaceDialog organizations={available} onClose={() => setCreating(false)} />}
    </>
  );
}

/** Creates an organization, whose admin the user becomes, and opens it. */
function NewOrganizationButton({ reload }: { reload: () => Promise<void> }): VNode {
  const [isCreating, setCreating] = useState(false);
  const create = async (title: string): Promise<void> => {
    const { id } = await api<Organization>('POST', '/orgs', { body: { title } });
    await reload();
    navigate(`/orgs/${id}`);
  };
  return (
    <>
      <button type="button" class="button" onClick={() => setCreating(true)}>
        New organization
      </button>
      {isCreating && (
        <TextDialog
          title="New organization"
          submit="Create organization"
          label="Name"
          hint="An organization has its own members, spaces and sites."
          minLength={2}
          maxLength={255}
          onSubmit={create}
          onClose={() => setCreating(false)}
        />
      )}
    </>
  );
}

const OrganizationRows = ({ organizations }: { organizations: Organization[] }): VNode =>
  organizations.length === 0 ? (
    <EmptyState icon="users" title="No organizations yet">
      <p>Create one, or ask an admin of an organization to invite you.</p>
    </EmptyState>
  ) : (
    <ul class="rows">
      {organizations.map(({ id, title, urls }) => (
        <li key={id}>
          <a class="row" href={`/app/orgs/${id}`}>
            <Avatar name={title} photo={urls.logo} isSquare />
            <span class="grow strong">{title}</span>
            <UiIcon name="chevron-right" />
          </a>
        </li>
      ))}
    </ul>
  );

export const SpaceCards = ({ spaces }: { spaces: Space[] }): VNode =>
  spaces.length === 0 ? (
    <EmptyState icon="book" title="No spaces yet">
      <p>A space contains the pages of one handbook, product or project.</p>
    </EmptyState>
  ) : (
    <ul class="card-grid">
      {spaces.map((space) => (
        <li key={space.id}>
          <a class="space-card" href={`/app/spaces/${space.id}`}>
            <Avatar name={getSpaceTitle(space)} emoji={space.emoji} isSquare />
            <strong>{getSpaceTitle(space)}</strong>
            <small>
              Changed <RelativeTime time={space.updatedAt} />
            </small>
          </a>
        </li>
      ))}
    </ul>
  );

interface ChangeRequestRowsProps {
  changeRequests: ChangeRequest[];
  spaces: Space[];
}

function ChangeRequestRows({ changeRequests, spaces }: ChangeRequestRowsProps): VNode {
  const titles = new Map(spaces.map((space) => [space.id, getSpaceTitle(space)]));
  return (
    <ul class="rows">
      {changeRequests.map(({ id, space, number, subject, status, updatedAt }) => (
        <li key={id}>
          <a class="row" href={`/app/spaces/${space}/change-requests/${id}`}>
            <UiIcon name="pull" />
            <span class="grow">
              <span class="strong">{getSubject({ number, subject })}</span>
              <small>
                {getNumberPrefix({ number, subject })}
                {titles.has(space) && `in ${titles.get(space)}`}
              </small>
            </span>
            <span class={`label ${status}`}>{status === 'draft' ? 'Draft' : 'Open'}</span>
            <small>
              <RelativeTime time={updatedAt} />
            </small>
          </a>
        </li>
      ))}
    </ul>
  );
}

import type { Check, Lookup, RecordOf, SpaceRecord } from '@octavo/db';
import {
  commitChecked,
  favorites,
  isActive,
  recents,
  selectBranchLineage,
  selection,
  selectSpaceRank,
  spaces,
} from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import type { OrganizationId, UserId } from '@octavo/schema';
import { conflict, createId, formatTimestamp, invalid, maxFavorites, maxRecents, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { createLineageCte, selectPageState } from '../../engine/store/lineage.ts';
import { createSummaryField } from '../../engine/store/summaries.ts';
import { handler } from '../../handler.ts';

const [b, s] = [aliasedTable(favorites, 'b'), aliasedTable(spaces, 's')];

/** The space and the page of a bookmark, which is a row of `favorites b` or `recents b`. */
const contentFields = {
  organization: s.organization,
  space: { id: s.id, title: s.title, emoji: s.emoji },
  pageId: b.page,
  page: createSummaryField(selectBranchLineage(sql`s.id`), sql`'page'`, sql`b.page`),
};
const favoriteRow = selection({ id: b.id, ...contentFields });
const recentRow = selection({ openedAt: aliasedTable(recents, 'b').openedAt, ...contentFields });

/** The user of a token, and the organization that the token is bound to. */
interface TokenOwner {
  id: UserId;
  organization: OrganizationId | null;
}

interface Owner {
  user: UserId | Lookup<UserId>;
  boundTo: OrganizationId | null | Lookup<OrganizationId | null>;
}

/** The bookmarks of a user whose space the user may still open, with memberships `m` that are `active`. */
const selectReadable = (table: 'favorites' | 'recents', user: Owner['user'], active: SQL): SQL => sql`
  FROM ${sql.raw(table)} b CROSS JOIN spaces s ON s.id = b.space
  CROSS JOIN members m ON m.organization = s.organization AND m.user = b.user
  CROSS JOIN organizations o ON o.id = m.organization
  WHERE b.user = ${user} AND s.deleted_at IS NULL
    AND ${selectSpaceRank({ user: sql`m.user`, role: sql`m.role`, active })} > 0`;

type ContentRecord = Omit<RecordOf<typeof favoriteRow>, 'id'>;

/** Whether the page still exists, if the bookmark has one. */
const isReadable = ({ pageId, page }: ContentRecord): boolean => pageId === '' || page !== null;

function presentContent({ organization, space, pageId, page }: ContentRecord, urls: Urls) {
  const path = page === null ? `/spaces/${space.id}` : `/spaces/${space.id}/content/page/${pageId}`;
  const { title, emoji, icon } = page ?? {};
  return {
    organization,
    space,
    ...(title !== undefined && { page: { id: pageId, title, ...(emoji && { emoji }), ...(icon && { icon }) } }),
    urls: { app: urls.app(path) },
  };
}

/** Lists the favorites in their order. */
export const listFavorites = handler('listFavorites', {
  reads: (_, { user, boundTo }: Owner) => ({
    rows: favoriteRow.query(
      sql`SELECT ${favoriteRow} ${selectReadable('favorites', user, isActive(sql`${boundTo}`))} ORDER BY b.position, b.id`,
    ),
  }),
  handle(_, { urls }, { rows }) {
    const items = rows
      .filter(isReadable)
      .map((row) => ({ object: 'favorite' as const, id: row.id, ...presentContent(row, urls) }));
    return { items };
  },
});

/** Checks that the live content of the space has the page. */
const createPageCheck = ({ head }: SpaceRecord, page: string): Check => ({
  condition: sql`(WITH ${createLineageCte(JSON.stringify(head.lineage))} SELECT ${selectPageState(sql`${page}`)}) IS NOT NULL`,
  createError: () => invalid([{ path: 'body.page', message: 'must be a page of the space' }]),
});

const createPageChecks = (space: SpaceRecord, page: string | undefined): Check[] =>
  page === undefined ? [] : [createPageCheck(space, page)];

const getNamedSpace = ({ space }: { space?: { space: SpaceRecord } }): SpaceRecord => {
  if (space === undefined) throw new TypeError('The body names no space.');
  return space.space;
};

/** A SELECT of the favorites that are listed for a user, if the user's token is valid in all organizations. */
const selectListed = (user: UserId): SQL => sql`SELECT b.id ${selectReadable('favorites', user, sql`NOT m.disabled`)}
  AND (b.page = '' OR (WITH ${createLineageCte(selectBranchLineage(sql`s.id`))} SELECT ${selectPageState(sql`b.page`)}) IS NOT NULL)`;

/**
 * Adds a favorite at the end, unless it exists. If the user then has too many, it replaces one that is no longer listed.
 * Others that are not listed stay, because the user may get access again.
 */
export const addFavorite = handler('addFavorite', async ({ body: { page } }, { db, actor, targets, commit }) => {
  const space = getNamedSpace(targets);
  const named = { user: actor.id, space: space.id, page: page ?? '' };
  const others = sql`FROM favorites f WHERE f.user = ${actor.id} AND (f.space, f.page) <> (${named.space}, ${named.page})`;
  const count = sql`(SELECT COUNT(*) ${others})`;
  const listed = selectListed(actor.id);
  const fits: Check = {
    condition: sql`(${count} < ${maxFavorites} OR (SELECT COUNT(*) ${others} AND f.id IN (${listed})) < ${maxFavorites})`,
    createError: () => conflict(`You can have at most ${maxFavorites} favorites. Remove one first.`),
  };
  const position = sql`(SELECT COALESCE(MAX(position), 0) + 1 FROM favorites WHERE user = ${actor.id})`;
  await commitChecked(db, [...createPageChecks(space, page), fits], (guards) =>
    commit(
      [
        ...guards,
        db.run(sql`DELETE FROM favorites WHERE id IN (SELECT f.id ${others} AND f.id NOT IN (${listed})
          ORDER BY f.position, f.id LIMIT MAX(${count} + 1 - ${maxFavorites}, 0))`),
        db
          .insert(favorites)
          .values({ id: createId('favorite'), ...named, position })
          .onConflictDoNothing(),
      ],
      [],
    ),
  );
  return undefined;
});

/** Checks that the user has the favorite, in the organization that the token is bound to. */
const createFavoriteCheck = (id: string, { id: user, organization }: TokenOwner): Check => ({
  condition: sql`EXISTS (SELECT 1 FROM favorites f WHERE f.id = ${id} AND f.user = ${user} AND (${organization} IS NULL
    OR EXISTS (SELECT 1 FROM spaces WHERE id = f.space AND organization = ${organization})))`,
  createError: () => notFound('favorite'),
});

/** Moves a favorite to an index among all favorites of the user, including those that are no longer listed. */
export const moveFavorite = handler('moveFavorite', async ({ params, body: { at } }, { db, actor, commit }) => {
  const id = params.favoriteId;
  const others = sql`SELECT id, ROW_NUMBER() OVER (ORDER BY position, id) - 1 AS place FROM favorites
    WHERE user = ${actor.id} AND id <> ${id}`;
  const ordered = sql`SELECT id, ROW_NUMBER() OVER (ORDER BY place) AS position
    FROM (${others} UNION ALL SELECT ${id}, ${at} - 0.5)`;
  await commitChecked(db, [createFavoriteCheck(id, actor)], (guards) =>
    commit(
      [
        ...guards,
        db.run(sql`UPDATE favorites SET position = ordered.position FROM (${ordered}) ordered
          WHERE favorites.id = ordered.id AND favorites.user = ${actor.id} AND favorites.position <> ordered.position`),
      ],
      [],
    ),
  );
  return undefined;
});

export const deleteFavorite = handler('deleteFavorite', async ({ params }, { db, actor, commit }) => {
  const id = params.favoriteId;
  await commitChecked(db, [createFavoriteCheck(id, actor)], (guards) =>
    commit([...guards, db.run(sql`DELETE FROM favorites WHERE id = ${id} AND user = ${actor.id}`)], []),
  );
  return undefined;
});

/** Lists recently opened spaces and pages, the last opened first. */
export const listRecents = handler('listRecents', {
  reads: (_, { user, boundTo }: Owner) => ({
    rows: recentRow.query(sql`SELECT ${recentRow} ${selectReadable('recents', user, isActive(sql`${boundTo}`))}
      ORDER BY b.opened_at DESC, b.space, b.page`),
  }),
  handle(_, { urls }, { rows }) {
    const items = rows.filter(isReadable).map((row) => ({
      object: 'recent' as const,
      ...presentContent(row, urls),
      openedAt: formatTimestamp(row.openedAt),
    }));
    return { items };
  },
});

/** A page that is opened again within this time is not written again. */
const minIntervalMilliseconds = 60_000;

/** Writes no event: it would flood the audit log. */
export const addRecent = handler('addRecent', async ({ body: { page } }, { db, actor, targets, commit }) => {
  const space = getNamedSpace(targets);
  const now = Date.now();
  const opened = { user: actor.id, space: space.id, page: page ?? '', openedAt: now };
  await commitChecked(db, createPageChecks(space, page), (guards) =>
    commit(
      [
        ...guards,
        db
          .insert(recents)
          .values(opened)
          .onConflictDoUpdate({
            target: [recents.user, recents.space, recents.page],
            set: { openedAt: now },
            setWhere: sql`${recents.openedAt} < ${now - minIntervalMilliseconds}`,
          }),
        db.run(sql`DELETE FROM recents WHERE (user, space, page) IN (
          SELECT user, space, page FROM recents WHERE user = ${actor.id} ORDER BY opened_at DESC LIMIT -1 OFFSET ${maxRecents})`),
      ],
      [],
    ),
  );
  return undefined;
});

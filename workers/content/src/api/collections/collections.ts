import type { CollectionRecord } from '@octavo/db';
import {
  collectionRow,
  collections,
  commitChecked,
  createPositionAtStart,
  hasVisibleContent,
  isAfterCursor,
  joinActingMember,
  limitRole,
  listSource,
  moveSpacesToTrash,
  paginateMatches,
  readRows,
  scanFields,
  scanRows,
  selectCollectionForActor,
  selectCollectionRank,
  selectCollections,
  selection,
  selectLiveCollections,
  selectSpaceRank,
  spaceJoins,
  spaces,
  spaceWithRoleRow,
  toActingMember,
  toListingMember,
  transferCollectionsTo,
} from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentCollection, presentSpace } from '@octavo/runtime';
import type { Collection } from '@octavo/schema';
import { conflict, createId, notFound } from '@octavo/schema';
import { aliasedTable, eq, sql } from 'drizzle-orm';
import { move } from '../../engine/placement/move.ts';
import {
  commitPlacement,
  countCollectionLevels,
  createLevelChecks,
  newCollectionLevels,
  omitSameLevel,
} from '../../engine/placement/placement.ts';
import { handler } from '../../handler.ts';
import { createExistenceCheck, createManagementCheck, decodeSiblingCursor } from './queries.ts';

export const getCollectionById = handler('getCollectionById', (_, { collection, urls }) =>
  presentCollection(collection, urls),
);

const listedRow = selection({ collection: collectionRow.fields, ...scanFields });
const { collection: listedCollection } = listedRow.names;

export const listCollectionsInOrganizationById = handler(
  'listCollectionsInOrganizationById',
  async ({ query: { page, limit, nested } }, { db, organization: { id }, membership, actor, urls }) => {
    const cursor = decodeSiblingCursor(page);
    const organization = sql`${id}`;
    const member = toListingMember(actor.id, membership.role);
    const collections = scanRows({
      columns: sql`${listedRow.with({ collection: { role: selectCollectionRank(member) } })}, 0 AS ${listedCollection.onTheWay}`,
      from: sql`FROM ${listSource('collections', organization, member)}
        WHERE c.organization = ${organization} AND c.deleted_at IS NULL AND ${nested ? sql`1` : sql`c.parent IS NULL`}
          AND ${isAfterCursor(cursor, sql`c.position`, sql`c.id`, 'asc')}`,
      order: sql`c.position, c.id`,
      matches: sql`(${listedCollection.role} > 0 OR ${hasVisibleContent(listedCollection.id, organization, member)})`,
      limit,
    });
    return paginateMatches(await readRows(db, listedRow.query(collections)), limit, {
      // The list includes collections on which the caller has no role, because something inside them is visible.
      item: ({ collection }) => presentCollection({ ...collection, onTheWay: collection.role === null }, urls),
      getCursor: ({ collection }) => [collection.position, collection.id],
    });
  },
);

const { position } = aliasedTable(spaces, 's');
const listedSpaceRow = selection({ ...spaceWithRoleRow.fields, position, ...scanFields });

export const listSpacesInCollectionById = handler(
  'listSpacesInCollectionById',
  async ({ query: { page, limit } }, { db, collection, actor, urls }) => {
    const cursor = decodeSiblingCursor(page);
    const collections = scanRows({
      columns: listedSpaceRow.with({ role: selectSpaceRank(toActingMember(actor)) }),
      from: sql`FROM spaces s ${joinActingMember(sql`${collection.organization}`, actor)} ${spaceJoins}
        WHERE s.organization = ${collection.organization} AND s.parent = ${collection.id} AND s.deleted_at IS NULL
          AND ${isAfterCursor(cursor, sql`s.position`, sql`s.id`, 'asc')}`,
      order: sql`s.position, s.id`,
      matches: sql`${listedSpaceRow.names.role} > 0`,
      limit,
    });
    return paginateMatches(await readRows(db, listedSpaceRow.query(collections)), limit, {
      item: ({ space, role }) => presentSpace(space, limitRole(actor, role), urls),
      getCursor: ({ space, position }) => [position, space.id],
    });
  },
);

export const createCollection = handler(
  'createCollection',
  async ({ body }, { db, organization, membership, targets, actor, commit, urls }) => {
    const { parent } = targets;
    const now = Date.now();
    const row = {
      id: createId('collection'),
      organization: organization.id,
      parent: parent?.id ?? null,
      title: body.title,
      description: null,
      defaultLevel: null,
      createdBy: actor.id,
      createdAt: now,
      position: createPositionAtStart(now),
    };
    await commitPlacement(db, { ...row, levels: newCollectionLevels }, (guards) =>
      commit(
        [...guards, db.insert(collections).values(row)],
        [{ type: 'collection.created', organization: organization.id, data: { collection: row.id } }],
      ),
    );
    return presentCollection({ ...row, role: parent?.role ?? membership.role, onTheWay: false }, urls);
  },
);

export const updateCollectionById = handler(
  'updateCollectionById',
  async ({ body }, { db, collection, actor, commit, urls }) => {
    const changes = omitSameLevel(body, collection);
    if (Object.keys(changes).length === 0) return presentCollection(collection, urls);
    const { id, organization } = collection;
    const checks = [
      createExistenceCheck(collection),
      ...createLevelChecks(changes.defaultLevel, { ...collection, table: 'collections' }),
    ];
    // Writes only the given fields, so that concurrent changes of different fields both take effect.
    const { changed } = await commitChecked(db, checks, (guards) =>
      commit(
        {
          guards,
          write: db.update(collections).set(changes).where(eq(collections.id, id)),
          changed: selectCollectionForActor(id, actor),
        },
        [{ type: 'collection.updated', organization, data: { collection: id } }],
      ),
    );
    return presentChangedCollection(changed, urls);
  },
);

export const moveCollection = handler('moveCollection', async ({ body }, { db, collection, actor, commit, urls }) => {
  const { id, organization } = collection;
  const levels = countCollectionLevels(organization, id);
  const rows = await move(
    db,
    { ...collection, table: 'collections', levels },
    {
      to: body,
      actor,
      async write(guards, destination) {
        const write = db.update(collections).set(destination).where(eq(collections.id, id));
        const { changed } = await commit({ guards, write, changed: selectCollectionForActor(id, actor) }, [
          { type: 'collection.moved', organization, data: { collection: id } },
        ]);
        return changed;
      },
    },
  );
  return presentChangedCollection(rows, urls);
});

/** Everything inside of the collection is transferred with it, including spaces in the trash. */
export const transferCollection = handler(
  'transferCollection',
  async ({ body: { organization } }, { db, collection, actor, commit, urls }) => {
    const { id, organization: from } = collection;
    if (organization === from) throw conflict('The collection already belongs to this organization.');
    const inside = selectCollections(id);
    const position = createPositionAtStart(Date.now());
    const checks = [
      createExistenceCheck(collection),
      createManagementCheck(collection, actor, { inside, condition: sql`1` }),
    ];
    const handedOver = transferCollectionsTo(db, inside, { from, to: organization });
    const { changed } = await commitChecked(db, checks, (guards) =>
      commit(
        {
          guards,
          handedOver: handedOver.statements,
          write: db.update(collections).set({ parent: null, position }).where(eq(collections.id, id)),
          changed: selectCollectionForActor(id, actor),
        },
        [
          ...handedOver.events,
          ...[from, organization].map((each) => ({
            type: 'collection.transferred' as const,
            organization: each,
            data: { collection: id, from },
          })),
          { type: 'index_spaces', organization, data: { collection: id } },
          { type: 'compact_search', organization: from, data: {} },
        ],
      ),
    );
    return presentChangedCollection(changed, urls);
  },
);

/** The rows of deleted collections stay, because spaces in the trash still inherit their levels. */
export const deleteCollectionById = handler(
  'deleteCollectionById',
  async (_, { db, collection, actor, commit }): Promise<undefined> => {
    const { id, organization } = collection;
    const now = Date.now();
    const inside = selectLiveCollections(id);
    const checks = [
      createExistenceCheck(collection),
      createManagementCheck(collection, actor, { inside, condition: sql`s.deleted_at IS NULL` }),
    ];
    await commitChecked(db, checks, (guards) =>
      commit(
        [
          ...guards,
          ...moveSpacesToTrash(db, { collections: inside, organization }, now),
          db.run(
            sql`UPDATE collections SET deleted_at = ${now} WHERE id IN (${inside}) AND +organization = ${organization}`,
          ),
        ],
        [{ type: 'collection.deleted', organization, data: { collection: id } }],
      ),
    );
  },
);

/** Presents the row of `selectCollectionForActor` in the batch that changed the collection. */
function presentChangedCollection([collection]: CollectionRecord[], urls: Urls): Collection {
  if (collection === undefined) throw notFound('collection');
  return presentCollection(collection, urls);
}

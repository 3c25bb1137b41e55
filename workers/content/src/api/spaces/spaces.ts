import type { Lineage, SpaceWithRole } from '@octavo/db';
import {
  abortUnless,
  commitChecked,
  createMergeRuleChecks,
  createPositionAtStart,
  decodeCursor,
  fromQuery as givenField,
  grantCreate,
  grantCurrentRoles,
  grantGuestRole,
  limitRole,
  moveSpaceToTrash,
  nullable,
  paginateMatches,
  restoreSpaceFromTrash,
  selection,
  selectSpaceForActor,
  selectSpaceRank,
  spaces,
  transferSpaceTo,
} from '@octavo/db';
import { requireReadableRules } from '@octavo/expression';
import type { Urls } from '@octavo/runtime';
import { findShareKey, presentSpace, presentToVisitor } from '@octavo/runtime';
import type { NewEvent, Space } from '@octavo/schema';
import { conflict, createId, getRoleByRank, notFound } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import { move } from '../../engine/placement/move.ts';
import {
  commitPlacement,
  countSpaceLevels,
  createLevelChecks,
  newSpaceLevels,
  omitSameLevel,
} from '../../engine/placement/placement.ts';
import { getTrashEnd } from '../../engine/retention/retention.ts';
import { writeRevision } from '../../engine/store/revisions.ts';
import { handler } from '../../handler.ts';
import {
  copySpaceRow,
  createContentCheck,
  createExistenceCheck,
  createSpaceRow,
  findRestoreTarget,
  findSourceLineage,
  guestList,
  memberList,
} from './queries.ts';

export const getSpaceById = handler('getSpaceById', async (_, { env, space, role, urls, visitor }) =>
  visitor === undefined
    ? presentSpace(space, role, urls)
    : presentToVisitor(space, urls, {
        shareKey: await findShareKey(env, visitor),
        hasEditLinks: visitor.hasEditLinks,
      }),
);

export const listSpacesInOrganizationById = handler('listSpacesInOrganizationById', {
  reads({ query: { page, limit } }, { asMember, asGuest, user, role }) {
    const cursor = decodeCursor(page, ['number', 'string']);
    const [time = null, id = null] = cursor ?? [];
    const form = cursor === undefined ? 'first' : 'next';
    return [
      ...(asMember === null ? [] : [memberList[form](asMember, user, role, limit, time, id)]),
      ...(asGuest === null ? [] : [guestList[form](asGuest, user, role, limit, time, id)]),
    ];
  },
  handle: ({ query: { limit } }, { actor, urls }, rows) =>
    paginateMatches(rows, limit, {
      item: ({ space, role }) => presentSpace(space, limitRole(actor, role), urls),
      getCursor: ({ space }) => [space.createdAt, space.id],
    }),
});

export const createSpace = handler(
  'createSpace',
  async ({ body }, { db, organization, membership, targets, caller, commit, urls }) => {
    const { parent } = targets;
    const { row, head, statements, events } = createSpaceRow(db, {
      id: createId('space'),
      organization: organization.id,
      parent: parent?.id ?? null,
      title: body.title,
      emoji: body.emoji,
      editMode: body.editMode,
      createdBy: caller.actor,
    });
    await commitPlacement(db, { ...row, levels: newSpaceLevels }, (guards) =>
      commit([...guards, ...statements], events),
    );
    const counters = { comments: 0, changeRequests: 0, changeRequestsOpen: 0, changeRequestsDraft: 0 };
    return presentSpace({ ...row, ...counters, publishedAt: null, head }, parent?.role ?? membership.role, urls);
  },
);

const roleRow = selection({ role: nullable(givenField(getRoleByRank)) });

export const updateSpaceById = handler(
  'updateSpaceById',
  async ({ body }, { db, space, role, actor, commit, urls }) => {
    // Writes only the given fields, so that concurrent changes of different fields both take effect.
    const { mergeRules: rules, gitSync: synced, ...wanted } = omitSameLevel(body, space);
    requireReadableRules(rules);
    const mergeRules = rules?.type === 'inherit' ? null : rules;
    const updatedAt = Date.now();
    const gitSync = synced && { ...synced, updatedAt };
    const changedFields = { ...wanted, mergeRules, gitSync, emoji: body.emoji === null ? '' : body.emoji, updatedAt };
    const checks = [
      ...createLevelChecks(changedFields.defaultLevel, { ...space, table: 'spaces', role }),
      ...createMergeRuleChecks(rules, space.organization),
    ];
    const rank = selectSpaceRank({ user: sql`m.user`, role: sql`m.role`, active: sql`NOT m.disabled` });
    const { roles } = await commitChecked(db, checks, (guards) =>
      commit(
        {
          guards,
          write: db.update(spaces).set(changedFields).where(eq(spaces.id, space.id)),
          roles: roleRow.query(sql`
          SELECT ${roleRow.with({ role: rank })} FROM spaces s CROSS JOIN members m ON m.organization = s.organization AND m.user = ${actor.id}
          WHERE s.id = ${space.id}`),
        },
        [{ type: 'space.updated', organization: space.organization, space: space.id, data: {} }],
      ),
    );
    const { title = space.title, emoji = space.emoji, editMode = space.editMode } = changedFields;
    const { defaultLevel = space.defaultLevel } = changedFields;
    const changed = { ...space, title, emoji, editMode, defaultLevel, updatedAt };
    if (mergeRules !== undefined) changed.mergeRules = mergeRules;
    if (gitSync !== undefined) changed.gitSync = gitSync;
    return presentSpace(changed, roles[0]?.role ?? null, urls);
  },
);

export const moveSpace = handler('moveSpace', async ({ body }, { db, space, role, actor, commit, urls }) => {
  const { id, organization } = space;
  const rows = await move(
    db,
    { table: 'spaces', id, organization, role, levels: countSpaceLevels(organization, id) },
    {
      to: body,
      actor,
      async write(guards, destination) {
        const write = db.update(spaces).set(destination).where(eq(spaces.id, id));
        const { changed } = await commit({ guards, write, changed: selectSpaceForActor(id, actor) }, [
          { type: 'space.moved', organization, space: id, data: {} },
        ]);
        return changed;
      },
    },
  );
  return presentChanged(rows, urls);
});

/**
 * Puts the space first at the top level, where it has the organization's default access. A hidden space stays hidden,
 * and the user who transfers it keeps access.
 */
export const transferSpace = handler(
  'transferSpace',
  async ({ body: { organization } }, { db, space, actor, commit, urls }) => {
    const { id, organization: from } = space;
    if (organization === from) throw conflict('The space already belongs to this organization.');
    const defaultLevel = sql`CASE WHEN default_level = 'none' THEN 'none' END`;
    const changes = { parent: null, position: createPositionAtStart(Date.now()), mergeRules: null, defaultLevel };
    const checks = [createExistenceCheck(space), createContentCheck({ organization, parent: null }, actor)];
    const handedOver = transferSpaceTo(db, id, { from, to: organization }, changes);
    const { changed } = await commitChecked(db, checks, (guards) =>
      commit(
        {
          guards,
          write: handedOver.statements,
          kept: grantCreate(db, id, actor),
          changed: selectSpaceForActor(id, actor),
        },
        [
          ...handedOver.events,
          ...[from, organization].map((each) => ({
            type: 'space.transferred' as const,
            organization: each,
            space: id,
            data: { from },
          })),
          { type: 'index_space', organization, space: id, data: {} },
          { type: 'compact_search', organization: from, data: {} },
        ],
      ),
    );
    return presentChanged(changed, urls);
  },
);

/** Only marks the row. All other data of the space stays unchanged. */
export const deleteSpaceById = handler(
  'deleteSpaceById',
  async (_, { db, space: { id, organization }, commit }): Promise<undefined> => {
    const isLive = {
      condition: sql`EXISTS (SELECT 1 FROM spaces WHERE id = ${id} AND organization = ${organization} AND deleted_at IS NULL)`,
      createError: () => notFound('space'),
    };
    await commitChecked(db, [isLive], (guards) =>
      commit(
        [...guards, ...moveSpaceToTrash(db, id, Date.now())],
        [{ type: 'space.deleted', organization, space: id, data: {} }],
      ),
    );
  },
);

/**
 * If the space's collection was deleted, the space is restored in the nearest live ancestor, and no user gains access.
 */
export const restoreSpace = handler('restoreSpace', async (_, { db, space, actor, commit, urls }) => {
  const { id, organization } = space;
  const now = Date.now();
  const row = sql`SELECT 1 FROM spaces WHERE id = ${id} AND organization = ${organization}`;
  const checks = [
    {
      condition: sql`EXISTS (${row} AND COALESCE(deleted_at >= ${getTrashEnd(now)}, 1) AND purging_at IS NULL)`,
      createError: () => notFound('space'),
    },
    {
      condition: sql`EXISTS (${row} AND deleted_at IS NOT NULL)`,
      createError: () => conflict('The space is not in the trash.'),
    },
  ];
  const rows = await commitChecked(db, checks, async (guards) => {
    const { isMoved, parent, level, mustHide, needsGuestGrant, unchanged } = await findRestoreTarget(db, space);
    const statements = [
      abortUnless(db, unchanged),
      ...(mustHide ? [grantCurrentRoles(db, id, actor.id)] : []),
      ...(needsGuestGrant ? [grantGuestRole(db, id, actor.id)] : []),
      ...restoreSpaceFromTrash(
        db,
        id,
        isMoved ? { parent, defaultLevel: level, position: createPositionAtStart(now) } : {},
      ),
    ];
    const { changed } = await commit({ guards, statements, changed: selectSpaceForActor(id, actor) }, [
      { type: 'space.restored', organization, space: id, data: {} },
    ]);
    return changed;
  });
  return presentChanged(rows, urls);
});

/** Presents the row of `selectSpaceForActor` in the batch that changed the space. */
function presentChanged([changed]: SpaceWithRole[], urls: Urls): Space {
  if (changed === undefined) throw notFound('space');
  return presentSpace(changed.space, changed.role, urls);
}

/** Maximum number of branches in a space's lineage. A space with more branches is flattened. */
const maxLineage = 8;

/**
 * The copy reads the current content of its source through its lineage; nothing is copied. Grants of the source are not
 * copied. Because they may have restricted access, the copy of a space with grants is hidden.
 */
export const duplicateSpace = handler(
  'duplicateSpace',
  async (_, { db, space: source, actor, caller, commit, urls }) => {
    const { organization } = source;
    const id = createId('space');
    const spaceKeys = { organization, space: id };
    let headLineage: Lineage | undefined = source.head.lineage;
    const checks = [createExistenceCheck(source), createContentCheck(source, actor)];
    const rows = await commitChecked(db, checks, async (guards) => {
      const sourceLineage = headLineage ?? (await findSourceLineage(db, source.id));
      headLineage = undefined;
      const lineage: Lineage = [[id, 1], ...sourceLineage];
      const revision = writeRevision(db, {
        ...{ ...spaceKeys, branch: id, seq: 1, type: 'edits', parents: [], lineage },
        ...{ author: caller.actor, writes: [] },
      });
      const jobs: NewEvent[] = [{ type: 'index_space', ...spaceKeys, data: {} }];
      if (lineage.length > maxLineage) jobs.push({ type: 'flatten_space', ...spaceKeys, data: {} });
      const copy = [
        ...copySpaceRow(db, { id, source: source.id, sourceLineage, actor: actor.id }),
        ...revision.statements,
      ];
      const { made } = await commit({ guards, copy, made: selectSpaceForActor(id, actor) }, [
        { type: 'space.duplicated', ...spaceKeys, data: { source: source.id } },
        ...revision.events,
        ...jobs,
      ]);
      return made;
    });
    return presentChanged(rows, urls);
  },
);

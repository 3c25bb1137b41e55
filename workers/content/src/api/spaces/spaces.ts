import type { Database, Lineage, SpaceWithRole, Statement } from '@octavo/db';
import {
  after,
  commitChecked,
  decodeCursor,
  given,
  given as givenField,
  handOverSpace,
  keepCreate,
  keepRoleOfGuest,
  keepRoles,
  limitedRole,
  listedFor,
  lookedAt,
  lookThrough,
  maybe,
  mergeRuleChecks,
  must,
  onlyRow,
  paginateMatches,
  positionAtStart,
  readRows,
  revisions,
  selection,
  spaceJoins,
  spaceOfActor,
  spaceRank,
  spaces,
  spaceWithRoleRow,
  statement,
  trashSpace,
  untrashSpace,
} from '@octavo/db';
import { requireReadableRules } from '@octavo/expression';
import type { Urls } from '@octavo/runtime';
import { presentSpace, presentVisited, shareKeyFor } from '@octavo/runtime';
import type { NewEvent, OrganizationId, Role, Space, SpaceId, UserId } from '@octavo/schema';
import { conflict, newId, notFound, roleOfRank } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { eq, sql } from 'drizzle-orm';
import {
  arrive,
  levelChecks,
  levelsOfNewSpace,
  levelsOfSpace,
  withoutSameLevel,
} from '../../engine/placing/arrival.ts';
import { move } from '../../engine/placing/move.ts';
import { endOfTrash } from '../../engine/retention/retention.ts';
import { lineageOfBranch } from '../../engine/store/lineage.ts';
import { writeRevision } from '../../engine/store/revisions.ts';
import { handler } from '../../handler.ts';
import { findWayBack, mayCreateIn, newSpace, stillThere } from './queries.ts';

export const getSpaceById = handler('getSpaceById', async (_, { env, space, role, urls, visitor }) =>
  visitor === undefined
    ? presentSpace(space, role, urls)
    : presentVisited(space, urls, await shareKeyFor(env, visitor)),
);

const listedRow = selection({ ...spaceWithRoleRow.fields, ...lookedAt });
const { space: listed, role: listedRole } = listedRow.names;

type CursorPart = string | number | null;

/** Of an organization as a member or a guest sees it, from the start or from where a cursor stands. */
const listFor = (isGuest: boolean, goesOn: boolean) =>
  statement(
    (
      organization: SQL<OrganizationId>,
      user: SQL<UserId>,
      role: SQL<Role | null>,
      limit: SQL<number>,
      time: SQL<CursorPart>,
      id: SQL<CursorPart>,
    ) => {
      const member = { user, role, active: sql`1`, isGuest };
      return listedRow.query(
        lookThrough({
          columns: listedRow.with({ role: spaceRank(member) }),
          from: sql`FROM ${listedFor('spaces', organization, member)} ${spaceJoins}
            WHERE s.organization = ${organization}
              AND ${after(goesOn ? [time, id] : undefined, sql`s.created_at`, sql`s.id`)}`,
          order: sql`s.created_at DESC, s.id DESC`,
          matches: sql`${listedRole} > 0 AND ${listed.deletedAt} IS NULL`,
          limit,
        }),
      );
    },
  );

const toMember = { first: listFor(false, false), next: listFor(false, true) };
const toGuest = { first: listFor(true, false), next: listFor(true, true) };

export const listSpacesInOrganizationById = handler(
  'listSpacesInOrganizationById',
  async ({ query: { page, limit } }, { db, organization, membership: { role }, actor, urls }) => {
    const cursor = decodeCursor(page, ['number', 'string']);
    const [time = null, id = null] = cursor ?? [];
    const list = (role === null ? toGuest : toMember)[cursor === undefined ? 'first' : 'next'];
    const rows = await readRows(db, list(organization.id, actor.id, role, limit, time, id));
    return paginateMatches(rows, limit, {
      item: ({ space, role }) => presentSpace(space, limitedRole(actor, role), urls),
      cursorOf: ({ space }) => [space.createdAt, space.id],
    });
  },
);

export const createSpace = handler(
  'createSpace',
  async ({ body }, { db, organization, membership, targets, caller, commit, urls }) => {
    const { parent } = targets;
    const { row, head, statements, events } = newSpace(db, {
      id: newId('space'),
      organization: organization.id,
      parent: parent?.id ?? null,
      title: body.title,
      emoji: body.emoji,
      editMode: body.editMode,
      createdBy: caller.actor,
    });
    await arrive(db, { ...row, levels: levelsOfNewSpace }, (guards) => commit([...guards, ...statements], events));
    const counters = { comments: 0, changeRequests: 0, changeRequestsOpen: 0, changeRequestsDraft: 0 };
    return presentSpace({ ...row, ...counters, publishedAt: null, head }, parent?.role ?? membership.role, urls);
  },
);

const roleRow = selection({ role: maybe(givenField(roleOfRank)) });

export const updateSpaceById = handler(
  'updateSpaceById',
  async ({ body }, { db, space, role, actor, commit, urls }) => {
    // Only what was given is written, so that two callers who change different fields both have their way.
    const { mergeRules: rules, ...wanted } = withoutSameLevel(body, space);
    requireReadableRules(rules);
    const mergeRules = rules?.type === 'inherit' ? null : rules;
    const given = { ...wanted, mergeRules, emoji: body.emoji === null ? '' : body.emoji, updatedAt: Date.now() };
    const checks = [
      ...levelChecks(given.defaultLevel, { ...space, table: 'spaces', role }),
      ...mergeRuleChecks(rules, space.organization),
    ];
    const rank = spaceRank({ user: sql`m.user`, role: sql`m.role`, active: sql`NOT m.disabled` });
    const { roles } = await commitChecked(db, checks, (guards) =>
      commit(
        {
          guards,
          write: db.update(spaces).set(given).where(eq(spaces.id, space.id)),
          roles: roleRow.query(sql`
          SELECT ${roleRow.with({ role: rank })} FROM spaces s CROSS JOIN members m ON m.organization = s.organization AND m.user = ${actor.id}
          WHERE s.id = ${space.id}`),
        },
        [{ type: 'space.updated', organization: space.organization, space: space.id, data: {} }],
      ),
    );
    const { title = space.title, emoji = space.emoji, editMode = space.editMode, updatedAt } = given;
    const { defaultLevel = space.defaultLevel } = given;
    const changed = { ...space, title, emoji, editMode, defaultLevel, updatedAt };
    if (mergeRules !== undefined) changed.mergeRules = mergeRules;
    return presentSpace(changed, roles[0]?.role ?? null, urls);
  },
);

export const moveSpace = handler('moveSpace', async ({ body }, { db, space, role, actor, commit, urls }) => {
  const { id, organization } = space;
  const rows = await move(
    db,
    { table: 'spaces', id, organization, role, levels: levelsOfSpace(organization, id) },
    {
      to: body,
      actor,
      async write(guards, place) {
        const write = db.update(spaces).set(place).where(eq(spaces.id, id));
        const { changed } = await commit({ guards, write, changed: spaceOfActor(id, actor) }, [
          { type: 'space.moved', organization, space: id, data: {} },
        ]);
        return changed;
      },
    },
  );
  return presentChanged(rows, urls);
});

/**
 * The space comes first at the top level, where it gives what the organization gives; one that is hidden stays so, and
 * whoever brought it keeps it.
 */
export const transferSpace = handler(
  'transferSpace',
  async ({ body: { organization } }, { db, space, actor, commit, urls }) => {
    const { id, organization: from } = space;
    if (organization === from) throw conflict('The space is in this organization already.');
    const defaultLevel = sql`CASE WHEN default_level = 'none' THEN 'none' END`;
    const changes = { parent: null, position: positionAtStart(Date.now()), mergeRules: null, defaultLevel };
    const checks = [stillThere(space), mayCreateIn({ organization, parent: null }, actor)];
    const handedOver = handOverSpace(db, id, { from, to: organization }, changes);
    const { changed } = await commitChecked(db, checks, (guards) =>
      commit(
        {
          guards,
          write: handedOver.statements,
          kept: keepCreate(db, id, actor),
          changed: spaceOfActor(id, actor),
        },
        [
          ...handedOver.events,
          ...[from, organization].map((each) => ({
            type: 'space.transferred' as const,
            organization: each,
            space: id,
            data: { from },
          })),
          { type: 'index_computed', organization, space: id, data: {} },
        ],
      ),
    );
    return presentChanged(changed, urls);
  },
);

/** Everything of the space stays as it is; only the mark on its row takes it out of sight. */
export const deleteSpaceById = handler(
  'deleteSpaceById',
  async (_, { db, space: { id, organization }, commit }): Promise<undefined> => {
    const isLive = {
      holds: sql`EXISTS (SELECT 1 FROM spaces WHERE id = ${id} AND organization = ${organization} AND deleted_at IS NULL)`,
      otherwise: () => notFound('space'),
    };
    await commitChecked(db, [isLive], (guards) =>
      commit(
        [...guards, ...trashSpace(db, id, Date.now())],
        [{ type: 'space.deleted', organization, space: id, data: {} }],
      ),
    );
  },
);

/** Where the collection that the space was in is deleted, it comes back to the next one above, open to nobody more. */
export const restoreSpace = handler('restoreSpace', async (_, { db, space, actor, commit, urls }) => {
  const { id, organization } = space;
  const now = Date.now();
  const row = sql`SELECT 1 FROM spaces WHERE id = ${id} AND organization = ${organization}`;
  const checks = [
    {
      holds: sql`EXISTS (${row} AND COALESCE(deleted_at >= ${endOfTrash(now)}, 1) AND purging_at IS NULL)`,
      otherwise: () => notFound('space'),
    },
    {
      holds: sql`EXISTS (${row} AND deleted_at IS NOT NULL)`,
      otherwise: () => conflict('The space is not deleted.'),
    },
  ];
  const rows = await commitChecked(db, checks, async (guards) => {
    const { isMoved, parent, level, hides, losesGuests, unchanged } = await findWayBack(db, space);
    const statements = [
      must(db, unchanged),
      ...(hides ? [keepRoles(db, id, actor.id)] : []),
      ...(losesGuests ? [keepRoleOfGuest(db, id, actor.id)] : []),
      ...untrashSpace(db, id, isMoved ? { parent, defaultLevel: level, position: positionAtStart(now) } : {}),
    ];
    const { changed } = await commit({ guards, statements, changed: spaceOfActor(id, actor) }, [
      { type: 'space.restored', organization, space: id, data: {} },
    ]);
    return changed;
  });
  return presentChanged(rows, urls);
});

/** A space from what `spaceOfActor` gave within the batch that changed it. */
export function presentChanged([changed]: SpaceWithRole[], urls: Urls): Space {
  if (changed === undefined) throw notFound('space');
  return presentSpace(changed.space, changed.role, urls);
}

/** A revision that is read through more branches than this is flattened. */
const maxLineage = 8;

/**
 * The copy reads its source's content through its lineage, as it is now: nothing of it is written. What was given on
 * the source is not copied, and as it may have kept somebody out, the copy of such a one is hidden.
 */
export const duplicateSpace = handler(
  'duplicateSpace',
  async (_, { db, space: source, actor, caller, commit, urls }) => {
    const { organization } = source;
    const id = newId('space');
    const of = { organization, space: id };
    let known: Lineage | undefined = source.head.lineage;
    const checks = [stillThere(source), mayCreateIn(source, actor)];
    const rows = await commitChecked(db, checks, async (guards) => {
      const read = known ?? (await findHeldLineage(db, source.id));
      known = undefined;
      const lineage: Lineage = [[id, 1], ...read];
      const revision = writeRevision(db, {
        ...{ ...of, branch: id, seq: 1, type: 'edits', parents: [], lineage },
        ...{ author: caller.actor, writes: [] },
      });
      const jobs: NewEvent[] = [{ type: 'index_space', ...of, data: {} }];
      if (lineage.length > maxLineage) jobs.push({ type: 'flatten_space', ...of, data: {} });
      const copy = [...copyRow(db, { id, source: source.id, read, actor: actor.id }), ...revision.statements];
      const { made } = await commit({ guards, copy, made: spaceOfActor(id, actor) }, [
        { type: 'space.duplicated', ...of, data: { source: source.id } },
        ...revision.events,
        ...jobs,
      ]);
      return made;
    });
    return presentChanged(rows, urls);
  },
);

interface Copy {
  id: string;
  source: string;
  read: Lineage;
  actor: string;
}

function copyRow(db: Database, { id, source, read, actor }: Copy): Statement[] {
  const now = Date.now();
  const lineage = JSON.stringify(read);
  return [
    must(db, sql`NOT EXISTS (SELECT 1 FROM json_each(${lineage}) WHERE NOT ${isHeldFor(source)})`),
    db.run(sql`
      INSERT INTO spaces (id, organization, parent, title, emoji, edit_mode, merge_rules, default_level, created_by, created_at, updated_at, position)
      SELECT ${id}, organization, parent, title, emoji, edit_mode, merge_rules,
        CASE WHEN EXISTS (SELECT 1 FROM grants g WHERE g.object = spaces.id) THEN 'none' ELSE default_level END,
        ${actor}, ${now}, ${now}, ${positionAtStart(now)}
      FROM spaces WHERE id = ${source}`),
    db.run(
      sql`INSERT INTO lineage_sources (source, space, seq) SELECT value->>0, ${id}, value->>1 FROM json_each(${lineage})`,
    ),
  ];
}

/** An entry of the space's lineage that no purge takes: its own branch, or one that is held for it. */
const isHeldFor = (space: SpaceId): SQL => sql`(value->>0 = ${space} OR EXISTS (
  SELECT 1 FROM lineage_sources l WHERE l.source = value->>0 AND l.space = ${space} AND l.seq = value->>1))`;

const heldRow = selection({ lineage: given(revisions.lineage) });

/**
 * The lineage of the space's head without the branches that flattening has freed since: what it read of them is on its
 * own branch, even where a late writer has named them once more.
 */
async function findHeldLineage(db: Database, space: SpaceId): Promise<Lineage> {
  const held = heldRow.query(sql`SELECT json_group_array(json(value) ORDER BY key) AS ${heldRow.names.lineage}
    FROM json_each(${lineageOfBranch(space)}) WHERE ${isHeldFor(space)}`);
  return onlyRow(await readRows(db, held)).lineage;
}

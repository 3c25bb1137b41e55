import type { Check, Database, Statement } from '@octavo/db';
import {
  abortUnless,
  commitCheckedOnce,
  createPositionAtEnd,
  createPositionBetween,
  fromQuery,
  readRows,
  retryOnConflict,
  selection,
  spreadPositions,
} from '@octavo/db';
import type { NewEvent, SiteId, StructurePointer } from '@octavo/schema';
import { invalid, notFound } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { comparePositions } from './presenter.ts';
import type { StructureContext } from './write-structure.ts';

type Kind = StructurePointer['type'];

const kinds: Record<Kind, { table: string; name: string; event: (site: SiteId, id: string) => NewEvent }> = {
  'site-space': {
    table: 'site_spaces',
    name: 'site space',
    event: (site, siteSpace) => ({ type: 'site_space.moved', data: { site, siteSpace } }),
  },
  'site-section': {
    table: 'site_sections',
    name: 'section',
    event: (site, section) => ({ type: 'site_section.moved', data: { site, section } }),
  },
  'site-section-group': {
    table: 'site_section_groups',
    name: 'section group',
    event: (site, sectionGroup) => ({ type: 'site_section_group.moved', data: { site, sectionGroup } }),
  },
  'site-external-link': {
    table: 'site_external_links',
    name: 'external link',
    event: (site, externalLink) => ({ type: 'site_external_link.moved', data: { site, externalLink } }),
  },
};

interface Move {
  pointers: { before?: StructurePointer | undefined; after?: StructurePointer | undefined };
  checks?: Check[];
}

/** Moves an item among its siblings, or to the end if no neighbor is given. @throws ApiError invalid or not_found */
export const moveItem = (
  { db, site, commit }: StructureContext,
  item: StructurePointer,
  { pointers, checks = [] }: Move,
) =>
  retryOnConflict(async () => {
    const level = await findLevel(db, site.id, item);
    if (!level.some(({ id }) => id === item.id)) throw notFound(kinds[item.type].name);
    const { statements, guard } = createMove(db, { level: level.sort(comparePositions), item, pointers });
    const event = { ...kinds[item.type].event(site.id, item.id), organization: site.organization };
    await commitCheckedOnce(db, checks, (guards) =>
      commit([...guards, abortUnless(db, guard), ...statements], [event]),
    );
  });

const siblingRow = selection({
  kind: fromQuery((kind: Kind) => kind),
  id: fromQuery(String),
  position: fromQuery(String),
});

interface Sibling {
  kind: Kind;
  id: string;
  position: string;
}

/** Reads the siblings of an item and the item itself. */
function findLevel(db: Database, site: SiteId, { type, id }: StructurePointer): Promise<Sibling[]> {
  const { kind, id: siblingId, position } = siblingRow.names;
  const selectSiblings = (
    siblingKind: Kind,
    condition: SQL,
  ) => sql`SELECT ${sql.raw(`'${siblingKind}'`)} AS ${kind}, id AS ${siblingId}, position AS ${position}
    FROM ${sql.raw(kinds[siblingKind].table)} WHERE site = ${site} AND ${condition}`;
  if (type === 'site-space') {
    const section = sql`(SELECT section FROM site_spaces WHERE id = ${id} AND site = ${site})`;
    return readRows(db, siblingRow.query(selectSiblings(type, sql`section = ${section}`)));
  }
  const group =
    type === 'site-section-group'
      ? sql`NULL`
      : sql`(SELECT section_group FROM ${sql.raw(kinds[type].table)} WHERE id = ${id} AND site = ${site})`;
  return readRows(
    db,
    siblingRow.query(sql`${selectSiblings('site-section', sql`section_group IS ${group}`)}
      UNION ALL ${selectSiblings('site-external-link', sql`section_group IS ${group}`)}
      UNION ALL ${selectSiblings('site-section-group', sql`${group} IS NULL`)}`),
  );
}

interface MoveRequest {
  /** The siblings, sorted by position. */
  level: Sibling[];
  item: StructurePointer;
  pointers: Move['pointers'];
}

/** Returns the statements that move the item, and a guard that its neighbors have not moved. */
function createMove(db: Database, { level, item, pointers }: MoveRequest): { statements: Statement[]; guard: SQL } {
  const siblings = level.filter(({ id }) => id !== item.id);
  const offset = getTargetIndex(siblings, pointers);
  const [low, high] = [siblings[offset - 1], siblings[offset]];
  const position =
    high === undefined ? createPositionAtEnd(Date.now()) : createPositionBetween(low?.position ?? null, high.position);
  if (position !== undefined) {
    const neighbors = [low, high].filter((sibling) => sibling !== undefined);
    return { statements: [updatePositions(db, item.type, [[item.id, position]])], guard: haveSamePositions(neighbors) };
  }
  const order = [...siblings.slice(0, offset), { ...item, kind: item.type }, ...siblings.slice(offset)];
  const positions = spreadPositions(order.length);
  const positionsByKind = Map.groupBy(
    order.map(({ kind, id }, index) => ({ kind, row: [id, positions[index] ?? ''] as [string, string] })),
    ({ kind }) => kind,
  );
  const statements = [...positionsByKind].map(([kind, rows]) =>
    updatePositions(
      db,
      kind,
      rows.map(({ row }) => row),
    ),
  );
  return { statements, guard: haveSamePositions(siblings) };
}

/** Returns the number of siblings before the requested position. */
function getTargetIndex(siblings: Sibling[], { before, after }: Move['pointers']): number {
  const find = (pointer: StructurePointer, field: 'before' | 'after') => {
    const index = siblings.findIndex(({ kind, id }) => kind === pointer.type && id === pointer.id);
    if (index < 0) throw invalid([{ path: `body.position.${field}`, message: 'must be a sibling' }]);
    return index;
  };
  const afterAt = after === undefined ? undefined : find(after, 'after');
  const beforeAt = before === undefined ? undefined : find(before, 'before');
  if (afterAt !== undefined && beforeAt !== undefined && afterAt >= beforeAt) {
    throw invalid([{ path: 'body.position.after', message: 'must precede the item in `before`' }]);
  }
  return afterAt === undefined ? (beforeAt ?? siblings.length) : afterAt + 1;
}

type Positions = [id: string, position: string][];

const updates: Record<Kind, (rows: SQL) => SQL> = {
  'site-space': (rows) =>
    sql`UPDATE site_spaces SET position = w.value->>1 FROM ${rows} WHERE site_spaces.id = w.value->>0`,
  'site-section': (rows) =>
    sql`UPDATE site_sections SET position = w.value->>1 FROM ${rows} WHERE site_sections.id = w.value->>0`,
  'site-section-group': (rows) =>
    sql`UPDATE site_section_groups SET position = w.value->>1 FROM ${rows} WHERE site_section_groups.id = w.value->>0`,
  'site-external-link': (rows) =>
    sql`UPDATE site_external_links SET position = w.value->>1 FROM ${rows} WHERE site_external_links.id = w.value->>0`,
};

const updatePositions = (db: Database, kind: Kind, rows: Positions): Statement =>
  db.run(updates[kind](sql`json_each(${JSON.stringify(rows)}) w`));

/** SQL that holds if the siblings still have these positions. */
function haveSamePositions(siblings: Sibling[]): SQL {
  const arms =
    siblings.length === 0
      ? [sql`1`]
      : Object.entries(kinds).map(([kind, { table }]) => {
          const rows = siblings.filter((sibling) => sibling.kind === kind).map(({ id, position }) => [id, position]);
          return sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(rows)}) w WHERE NOT EXISTS (
      SELECT 1 FROM ${sql.raw(table)} x WHERE x.id = w.value->>0 AND x.position = w.value->>1))`;
        });
  return sql.join(arms, sql` AND `);
}

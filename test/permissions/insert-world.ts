import { hashToken } from '@octavo/db';
import { createId, createRandomString } from '@octavo/schema';
import { writeDatabase } from '../support/database.ts';
import type { World } from './reference.ts';

export interface InsertedWorld extends World {
  organization: string;
  /** Tokens by user id. */
  tokens: Map<string, string>;
}

type Row = Record<string, string | number | boolean | null>;

async function insert(dataDir: string, table: string, rows: Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  if (columns.length === 0) return;
  const values = columns.map((column) => `value->>'${column}'`).join(', ');
  const statement = `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values} FROM json_each(?)`;
  await writeDatabase({ dataDir }, statement, JSON.stringify(rows));
}

async function insertContents(dataDir: string, organization: string, { contents }: World): Promise<void> {
  const now = Date.now();
  const getRow = ({ id, parent, level, createdBy, deleted }: World['contents'][number], index: number) => ({
    ...{ id, organization, parent, title: '', default_level: level, created_by: createdBy },
    ...{ created_at: now + index, deleted_at: deleted ? now : null },
  });
  const selectKind = (kind: string) => contents.filter((content) => content.kind === kind);
  await insert(dataDir, 'collections', selectKind('collection').map(getRow));
  const spaces = selectKind('space').map((space, index) => ({ ...getRow(space, index), emoji: '', updated_at: now }));
  await insert(dataDir, 'spaces', spaces);
  const revisions = spaces.map(({ id, created_by }) => ({
    ...{ id: createId('revision'), space: id, branch: id, seq: 1, type: 'edits', parents: '[]' },
    ...{ lineage: JSON.stringify([[id, 1]]), author: created_by, created_at: now },
  }));
  await insert(dataDir, 'revisions', revisions);
}

/** Writes a world directly to the database as a separate organization, with one statement per table. */
export async function insertWorld(dataDir: string, world: World): Promise<InsertedWorld> {
  const organization = createId('organization');
  const now = Date.now();
  const tokens = new Map(world.people.map(({ id }) => [id, `octavo_${createRandomString(40)}`]));
  const tokenRows = [...tokens].map(async ([user, token]) => ({
    ...{ id: createId('token'), user, label: '', hash: await hashToken(token), created_at: now, last_used_at: now },
  }));
  await insert(dataDir, 'organizations', [{ id: organization, title: 'A world', created_at: now }]);
  await insert(
    dataDir,
    'users',
    world.people.map(({ id }) => ({ id, email: `${id}@example.test`, display_name: 'A person', created_at: now })),
  );
  await insert(dataDir, 'tokens', await Promise.all(tokenRows));
  const members = world.people.flatMap(({ id, member }) => (member === undefined ? [] : [{ user: id, ...member }]));
  await insert(
    dataDir,
    'members',
    members.map((member, index) => ({ organization, ...member, joined_at: now + (index >> 1) })),
  );
  await insert(
    dataDir,
    'teams',
    world.teams.map((id) => ({ id, organization, title: 'A team', created_at: now })),
  );
  const memberships = world.people.flatMap(({ id, teams }) => teams.map((team) => ({ team, user: id, organization })));
  await insert(dataDir, 'team_members', memberships);
  await insertContents(dataDir, organization, world);
  await insert(
    dataDir,
    'grants',
    world.grants.map((grant) => ({ ...grant, organization, created_at: now })),
  );
  return { ...world, organization, tokens };
}

import type { Role } from '@octavo/schema';
import { createId } from '@octavo/schema';
import type { Content, Grant, Person, World } from './reference.ts';

// The table of cases. Each row is a space or collection with its ancestors. Each person is tested on each row.

const [teamA, teamB] = [createId('team'), createId('team')];
const roles: Role[] = ['create', 'review', 'edit', 'comment', 'read'];

const createPerson = (
  label: string,
  role: Role | null,
  more: { teams?: string[]; disabled?: boolean } = {},
): Person => ({
  id: createId('user'),
  label,
  member: { role, disabled: more.disabled ?? false },
  teams: more.teams ?? [],
});

export const admin = createPerson('admin', 'admin');
const reader = createPerson('reader who was given something', 'read');
const guest = createPerson('guest who was given something', null);
const editorInBoth = createPerson('editor in teams A and B who was given something', 'edit', { teams: [teamA, teamB] });
const guestInBoth = createPerson('guest in teams A and B', null, { teams: [teamA, teamB] });
const disabled = createPerson('disabled reader in team A who was given something', 'read', {
  teams: [teamA],
  disabled: true,
});
const maker = createPerson('reader who made content', 'read');
const guestMaker = createPerson('guest in team B who made content', null, { teams: [teamB] });

const people: Person[] = [
  admin,
  ...roles.map((role) => createPerson(role, role)),
  createPerson('guest', null),
  createPerson('disabled admin', 'admin', { disabled: true }),
  { id: createId('user'), label: 'stranger', teams: [] },
  createPerson('reader in team A', 'read', { teams: [teamA] }),
  createPerson('guest in team A', null, { teams: [teamA] }),
  createPerson('admin in team A', 'admin', { teams: [teamA] }),
  reader,
  guest,
  editorInBoth,
  guestInBoth,
  disabled,
  maker,
  guestMaker,
];
const givenTo = [reader, guest, editorInBoth, disabled].map(({ id }) => id);

const contents: Content[] = [];
const makers = [admin, maker, guestMaker];

interface Options {
  parent?: string | null;
  level?: Content['level'];
  deleted?: boolean;
}

function add(kind: Content['kind'], label: string, { parent = null, level = null, deleted = false }: Options): string {
  const id = createId(kind);
  const createdBy = makers[contents.length % makers.length]?.id ?? '';
  contents.push({ kind, id, parent, level, createdBy, deleted, label: `${label} (${contents.length})` });
  return id;
}

const nest = (levels: Content['level'][], label: string): string[] => {
  const chain: string[] = [];
  for (const [index, level] of levels.entries()) {
    const kind = index === levels.length - 1 ? 'space' : 'collection';
    chain.push(add(kind, `${kind} ${index} of ${label}`, { parent: chain.at(-1) ?? null, level }));
  }
  return chain;
};

const levels: Content['level'][] = [null, 'none', 'read', 'create'];
for (const outer of levels) {
  const top = add('collection', `outer ${outer}`, { level: outer });
  for (const inner of levels) {
    const nested = add('collection', `inner ${outer}/${inner}`, { parent: top, level: inner });
    for (const own of levels) add('space', `space ${outer}/${inner}/${own}`, { parent: nested, level: own });
  }
}
for (const level of [null, 'none', ...roles, 'admin'] as Content['level'][]) {
  add('space', `space at the top, ${level}`, { level });
  add('space', `space in the trash, ${level}`, { level, deleted: true });
}
const trashed = add('collection', 'collection in the trash', { deleted: true });
add('space', 'space in the trash with its collection', { parent: trashed, deleted: true });

/** Combinations of grants to the persons in `givenTo` and to the teams. */
const gifts: { user?: Role | null; teamA?: Role | null; teamB?: Role | null }[] = [
  { user: null },
  { user: 'comment' },
  { teamA: null },
  { teamA: 'edit' },
  { teamA: 'review', teamB: 'read' },
  { teamA: null, teamB: 'create' },
  { user: null, teamA: 'admin' },
  { user: 'read', teamB: 'create' },
];
const contexts: Content['level'][][] = [
  [null, null, null],
  ['none', null, 'none'],
  ['edit', 'none', null],
];

/** The grants that the test creates through the API. */
export const given: Grant[] = [];
for (const gift of gifts)
  for (const context of contexts)
    for (const place of [0, 1, 2]) {
      const chain = nest(context, `${context.join('/')} with ${JSON.stringify(gift)} at ${place}`);
      const object = chain[place] ?? '';
      const { user, teamA: toA, teamB: toB } = gift;
      if (user !== undefined) given.push(...givenTo.map((subject) => ({ object, subject, role: user })));
      if (toA !== undefined) given.push({ object, subject: teamA, role: toA });
      if (toB !== undefined) given.push({ object, subject: teamB, role: toB });
    }
given.push({ object: trashed, subject: reader.id, role: 'edit' });

export const table: World = { people, teams: [teamA, teamB], contents, grants: [] };

import type { Role } from '@octavo/schema';
import { createId, roles } from '@octavo/schema';
import fc from 'fast-check';
import type { Content, Person, World } from './reference.ts';

const role = fc.constantFrom<Role>(...roles);
const roleOrNone = fc.oneof(role, fc.constant(null));
const teamCount = 3;

const drawnContent = fc.record({
  /** The index of an earlier collection that contains this one, or -1. */
  parent: fc.integer({ min: -1, max: 5 }),
  level: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, fc.constant('none' as const), role),
  createdBy: fc.nat(5),
  deleted: fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, fc.constant(true)),
});

/** A random organization: collections, spaces, people, teams and grants. */
export const drawnWorld = fc.record({
  collections: fc.array(drawnContent, { maxLength: 6 }),
  spaces: fc.array(drawnContent, { minLength: 1, maxLength: 6 }),
  people: fc.array(
    fc.record({
      role: roleOrNone,
      disabled: fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, fc.constant(true)),
      teams: fc.subarray([0, 1, 2]),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  grants: fc.uniqueArray(fc.record({ object: fc.nat(11), subject: fc.nat(7), role: roleOrNone }), {
    maxLength: 12,
    selector: ({ object, subject }) => `${object} ${subject}`,
  }),
});
type Drawn = typeof drawnWorld extends fc.Arbitrary<infer Value> ? Value : never;

function listContents({ collections, spaces }: Drawn, people: Person[]): Content[] {
  const contents: Content[] = [];
  const add = (kind: Content['kind'], { parent: place, level, createdBy, deleted }: Drawn['spaces'][number]) => {
    const above = contents.filter((content) => content.kind === 'collection')[place];
    contents.push({
      ...{ kind, id: createId(kind), level, label: `${kind} ${contents.length}` },
      parent: above?.id ?? null,
      createdBy: people[createdBy % people.length]?.id ?? '',
      deleted: deleted || above?.deleted === true,
    });
  };
  for (const drawn of collections) add('collection', drawn);
  for (const drawn of spaces) add('space', drawn);
  return contents;
}

/** Builds the world that was drawn. The first person is an admin. */
export function getWorld(drawn: Drawn): World {
  const teams = Array.from({ length: teamCount }, () => createId('team'));
  const admin: Person = {
    id: createId('user'),
    label: 'admin',
    member: { role: 'admin', disabled: false },
    teams: [],
  };
  const others = drawn.people.map(({ role, disabled, teams: places }, index) => ({
    id: createId('user'),
    label: `person ${index}`,
    member: { role, disabled },
    teams: teams.filter((_, place) => places.includes(place)),
  }));
  const people = [admin, ...others];
  const contents = listContents(drawn, people);
  const subjects = [...others.map(({ id }) => id), ...teams];
  const grants = drawn.grants.flatMap(({ object, subject, role }) => {
    const [content, receiver] = [contents[object], subjects[subject]];
    return content === undefined || receiver === undefined ? [] : [{ object: content.id, subject: receiver, role }];
  });
  return { people, teams, contents, grants };
}

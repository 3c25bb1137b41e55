import type { Role } from '@octavo/schema';
import { roles } from '@octavo/schema';
import fc from 'fast-check';
import { drawValues } from '../support/random.ts';

const level = fc.constantFrom<Role | 'none' | null>(null, null, 'none', 'none', 'read', 'edit');
const role = fc.constantFrom<Role | null>(null, 'read', 'edit', 'create');
const plan = fc.record({
  collections: fc.array(fc.record({ parent: fc.nat(), level }), { minLength: 6, maxLength: 6 }),
  spaces: fc.array(fc.record({ parent: fc.nat(), level }), { minLength: 12, maxLength: 12 }),
  members: fc.array(fc.constantFrom<Role | null>(...roles, null, null), { minLength: 7, maxLength: 7 }),
  teams: fc.array(fc.array(fc.nat(6), { minLength: 1, maxLength: 3 }), { minLength: 3, maxLength: 3 }),
  grants: fc.array(fc.record({ object: fc.nat(), subject: fc.nat(), role }), { minLength: 14, maxLength: 14 }),
});

/** Draws an organization for comparing lists. */
export function drawListWorld(from: number) {
  const [world] = drawValues(plan, 1, from);
  const [first, ...others] = world?.spaces ?? [];
  if (world === undefined || first === undefined) throw new Error('No world was drawn.');
  // The first space is not in a collection that may be deleted, because every world has grants on this space.
  return { ...world, spaces: [{ ...first, parent: world.collections.length }, ...others] };
}

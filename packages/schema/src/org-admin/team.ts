import * as z from 'zod';
import { createLineSchema } from '../text.ts';
import { Timestamp } from '../time.ts';

export const TeamTitle = createLineSchema(1, 64);

export const TeamPermissions = z.object({ admin: z.boolean(), view: z.boolean() }).meta({ id: 'TeamPermissions' });
export type TeamPermissions = z.infer<typeof TeamPermissions>;

export const Team = z
  .object({
    object: z.literal('team'),
    id: z.string(),
    title: TeamTitle,
    members: z.number().int(),
    spaces: z.number().int(),
    createdAt: Timestamp,
    permissions: TeamPermissions,
  })
  .meta({ id: 'Team' });
export type Team = z.infer<typeof Team>;

/** The role of a user in a team. An owner may change the members of the team. */
export const TeamRole = z.enum(['owner', 'member']).meta({ id: 'TeamRole' });
export type TeamRole = z.infer<typeof TeamRole>;

/** The membership of a user in a team. */
export const TeamMembership = z.object({ role: TeamRole }).meta({ id: 'TeamMembership' });
export type TeamMembership = z.infer<typeof TeamMembership>;

import * as z from 'zod';
import type { OrganizationId, UserId } from '../ids.ts';
import { Id } from '../ids.ts';
import { Role } from '../roles.ts';
import { OrganizationTitle } from './organizations.ts';
import { DisplayName, TokenLabel } from './users.ts';

/** A request of the server's operator for a token. Creates the user and the membership if they do not exist. */
export const IssueToken = z
  .object({
    email: z.email().max(254),
    displayName: DisplayName.optional(),
    organization: Id.optional(),
    role: Role.nullable().optional(),
    /** The title of an organization to create, with the user as its admin. */
    newOrganization: OrganizationTitle.optional(),
    label: TokenLabel.default('operator'),
  })
  .refine(
    (input) => (input.organization === undefined) === (input.role === undefined),
    'must have both organization and role, or neither',
  )
  .refine(
    (input) => input.newOrganization === undefined || input.organization === undefined,
    'must have a new organization or an existing one',
  );
export type IssueToken = z.infer<typeof IssueToken>;

/** A request of the operator for a link that signs an existing user in to the app once. */
export const CreateLoginLink = z.object({ email: z.email().max(254) });

export interface LoginLink {
  url: string;
  expiresAt: string;
}

export interface IssuedToken {
  token: string;
  user: UserId;
  organization?: OrganizationId;
}

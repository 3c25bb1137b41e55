import * as z from 'zod';
import { Id } from '../ids.ts';
import { Role } from '../roles.ts';

/** What the operator of an installation asks for: a token, and before it the user and the membership where missing. */
export const IssueToken = z
  .object({
    email: z.email().max(254),
    displayName: z.string().min(1).max(64).optional(),
    organization: Id.optional(),
    role: Role.nullable().optional(),
    label: z.string().min(1).max(50).default('operator'),
  })
  .refine(
    (input) => (input.organization === undefined) === (input.role === undefined),
    'organization and role go together',
  );
export type IssueToken = z.infer<typeof IssueToken>;

export interface IssuedToken {
  token: string;
  user: string;
  organization?: string;
}

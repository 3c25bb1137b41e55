import * as z from 'zod';
import { Warnings } from '../content/warnings.ts';
import { Timestamp } from '../time.ts';
import { User } from '../user.ts';

export const ChangeRequestStatus = z.enum(['draft', 'open', 'archived', 'merged']).meta({ id: 'ChangeRequestStatus' });
export type ChangeRequestStatus = z.infer<typeof ChangeRequestStatus>;

export const Subject = z.string().max(100);
/** Why the change is made, in markdown. */
export const Description = z
  .string()
  .max(10_000)
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode');

export const ChangeRequest = z
  .object({
    object: z.literal('change-request'),
    id: z.string(),
    space: z.string(),
    number: z.number().int(),
    status: ChangeRequestStatus,
    subject: Subject,
    description: Description.optional(),
    createdBy: User,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    revision: z.string(),
    revisionInitial: z.string(),
    revisionMergedAncestor: z.string().optional(),
    revisionMerged: z.string().optional(),
    mergedBy: User.optional(),
    mergedAt: Timestamp.optional(),
    comments: z.number().int(),
    outdated: z.boolean(),
    urls: z.object({ app: z.string(), location: z.string() }),
    /** In the answer to a change of its content alone. */
    warnings: Warnings.optional(),
  })
  .meta({ id: 'ChangeRequest' });
export type ChangeRequest = z.infer<typeof ChangeRequest>;

/** One thing that two sides changed differently. `kind` and `id` name the node, `field` what clashes about it. */
export const MergeConflict = z
  .object({
    kind: z.enum(['page', 'file', 'reusable-content', 'variable']),
    id: z.string(),
    title: z.string().optional(),
    field: z.string(),
    message: z.string(),
  })
  .meta({ id: 'MergeConflict' });
export type MergeConflict = z.infer<typeof MergeConflict>;

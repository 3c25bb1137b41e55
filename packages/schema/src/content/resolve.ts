import * as z from 'zod';
import { MergeConflict } from '../collaboration/merge-conflict.ts';

const { kind, id } = MergeConflict.shape;

/**
 * An extension of the GitBook API: resolves a conflict that an update has left, on the page `page` or on the node
 * that `kind` and `id` name.
 */
export const Resolve = z
  .object({
    operation: z.literal('resolve'),
    page: id.min(1).max(256).optional(),
    kind: kind.optional(),
    id: id.min(1).max(256).optional(),
    field: z.string().min(1).max(64),
    keep: z.enum(['mine', 'live']),
  })
  .refine(
    (target) => (target.page === undefined) === (target.kind !== undefined && target.id !== undefined),
    'must have either page, or both kind and id',
  );
export type Resolve = z.infer<typeof Resolve>;

/** Returns the node whose conflict a change resolves. */
export const getDecidedNode = (change: Resolve): Pick<MergeConflict, 'kind' | 'id'> =>
  change.page === undefined ? { kind: change.kind ?? 'page', id: change.id ?? '' } : { kind: 'page', id: change.page };

import * as z from 'zod';

/** A conflict between two changes of the same node. `kind` and `id` name the node, `field` the part that conflicts. */
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

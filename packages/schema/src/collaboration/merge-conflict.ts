import * as z from 'zod';

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

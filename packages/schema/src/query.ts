import * as z from 'zod';

/** A boolean filter in a query string. Omitted, it filters nothing. */
export const queryFilter = z
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .optional()
  .meta({ override: { type: 'boolean' } });

/** Returns the schema of ids in a query string, as a single or repeated parameter. */
export const queryIds = (max: number) =>
  z
    .union([z.string().transform((id) => [id]), z.array(z.string())])
    .pipe(z.array(z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be an id')).max(max))
    .optional()
    .meta({ override: { type: 'array', items: { type: 'string' }, maxItems: max } });

import * as z from 'zod';

export const maxPageSize = 1000;
export const defaultPageSize = 50;

/** Returns the schema of a `limit` in a query string. */
export const queryLimit = (max: number, byDefault: number) =>
  z
    .string()
    .regex(/^\d{1,4}$/, `must be a whole number from 0 to ${max}`)
    .transform(Number)
    .pipe(z.number().max(max, `must be at most ${max}`))
    .optional()
    .transform((limit) => limit ?? byDefault)
    .meta({ override: { type: 'integer', minimum: 0, maximum: max, default: byDefault } });

/** Returns the schema of a boolean in a query string, with its default. */
export const queryBoolean = (byDefault: boolean) =>
  z
    .enum(['true', 'false'])
    .optional()
    .transform((value) => (value === undefined ? byDefault : value === 'true'))
    .meta({ override: { type: 'boolean', default: byDefault } });

export const Order = z.enum(['asc', 'desc']).optional().default('desc');

/**
 * Returns the schema of search words that filter a list. Lists with such a filter can return short or even empty pages
 * that have a `next`.
 */
export const queryWords = (max: number) =>
  z.string().max(max).meta({ description: 'Lists only items that contain this text. Case is ignored.' }).optional();

/** The paging parameters of a list's query. `page` is the cursor from the previous response. */
export const PageQuery = z.object({
  page: z.string().max(2048).optional(),
  limit: queryLimit(maxPageSize, defaultPageSize),
});
export type PageQuery = z.infer<typeof PageQuery>;

/**
 * The paging parameters of a list that omits items that the caller may not see. It can return short or even empty pages
 * that have a `next`.
 */
export const FilteredPageQuery = PageQuery.extend({
  page: PageQuery.shape.page.meta({
    description:
      'The cursor of the page to return: `next.page` of the previous response. A page searches at most 5,000 rows, so ' +
      'it can be short or empty although there is a `next`.',
  }),
});

/** Returns the schema of a list: `next` is omitted on the last page, `count` is the number of items on this page. */
export const list = <Item extends z.ZodType>(item: Item) =>
  z.object({ next: z.object({ page: z.string() }).optional(), count: z.number().int(), items: z.array(item) });

export interface List<Item> {
  next?: { page: string } | undefined;
  count: number;
  items: Item[];
}

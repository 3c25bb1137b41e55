import * as z from 'zod';

export const maxPageSize = 1000;
export const defaultPageSize = 50;

/** A number in a query string: 0 to 1000, default 50. */
const Limit = z
  .string()
  .regex(/^\d{1,4}$/, 'must be a whole number from 0 to 1000')
  .transform(Number)
  .pipe(z.number().max(maxPageSize, 'must be at most 1000'))
  .optional()
  .transform((limit) => limit ?? defaultPageSize)
  .meta({ override: { type: 'integer', minimum: 0, maximum: maxPageSize, default: defaultPageSize } });

/** A boolean in a query string, with its default. */
export const queryBoolean = (byDefault: boolean) =>
  z
    .enum(['true', 'false'])
    .optional()
    .transform((value) => (value === undefined ? byDefault : value === 'true'))
    .meta({ override: { type: 'boolean', default: byDefault } });

export const Order = z.enum(['asc', 'desc']).optional().default('desc');

/** Words that a list is filtered by. Lists with such a filter may give short pages, even empty ones, that have a `next`. */
export const queryWords = (max: number) =>
  z
    .string()
    .max(max)
    .meta({
      description:
        'A part of the text, in any case. A page looks through 5,000 rows at most: go on while there is a next.',
    })
    .optional();

/** The paging part of every list's query. `page` is the cursor of the answer before. */
export const PageQuery = z.object({ page: z.string().max(2048).optional(), limit: Limit });
export type PageQuery = z.infer<typeof PageQuery>;

/** Of a list that leaves out what the caller does not see: it may give short pages, even empty ones, that have a `next`. */
export const FilteredPageQuery = PageQuery.extend({
  page: PageQuery.shape.page.meta({
    description: 'The cursor of the page before. A page looks through 5,000 rows at most: go on while there is a next.',
  }),
});

/** The envelope of every list: `next` is left out on the last page, `count` is the number of items on this one. */
export const list = <Item extends z.ZodType>(item: Item) =>
  z.object({ next: z.object({ page: z.string() }).optional(), count: z.number().int(), items: z.array(item) });

export interface List<Item> {
  next?: { page: string } | undefined;
  count: number;
  items: Item[];
}

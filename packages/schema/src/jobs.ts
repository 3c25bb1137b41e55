import * as z from 'zod';

/**
 * Long work in steps, by type, with what a step needs to go on. A job is a row of the outbox, as an event is: it is
 * written in the batch of what asks for it, sent to its queue, sent again by the sweep, and stays as a dead letter when
 * ten attempts failed. A step does a bounded part and writes the next one in the batch that settles it.
 */
export const jobData = {
  /** Brings the search index of all pages of a space to its head, from the page after the one that is named. */
  index_space: z.object({ after: z.string().optional() }),
  /**
   * Brings the search index of the pages that are made of the computed ones under a page ('' is the root) to the head of
   * their space: first it notes what is to be indexed of which, then, `planned`, that is done. `anew` where those are
   * written, too, that say what they said.
   */
  index_made_pages: z.object({
    place: z.string(),
    planned: z.boolean().default(false),
    anew: z.boolean().default(false),
  }),
  /**
   * Queues `index_made_pages` for the computed pages of an organization, or of one space or specification in it, from
   * after the specification, space and place that are named.
   */
  index_computed: z.object({
    spec: z.string().optional(),
    after: z.tuple([z.string(), z.string(), z.string()]).optional(),
  }),
  /**
   * Copies what a space reads from others' branches into its own, from the node after the one that is named; then cuts
   * those branches off its revisions, from the one after `cut`: main is number 0, a change request its own number.
   */
  flatten_space: z.object({
    after: z.object({ kind: z.string(), id: z.string() }).optional(),
    cut: z.object({ number: z.number().int(), seq: z.number().int() }).optional(),
  }),
  /** Queues `index_space` for all live spaces, from the space after the one that is named. */
  index_spaces: z.object({ after: z.string().optional() }),
  /** Begins the purge of spaces whose time in the trash is over, and deletes what nothing refers to any more. */
  sweep_expired: z.object({}),
  /**
   * Deletes a bounded part of a purged space, or of what was left of one because other spaces read it. `after` is the
   * version that the stage `versions` has come to.
   */
  purge_space: z.object({
    stage: z
      .enum(['imports', 'branches', 'change_requests', 'search', 'versions', 'revisions', 'space'])
      .default('imports'),
    after: z.tuple([z.string(), z.string(), z.number()]).optional(),
  }),
  /** Takes an import one step on: some addresses are fetched, or some pages linked, or all brought to where they go. */
  import_content: z.object({ import: z.string() }),
  /** Renders a PDF that somebody asked for. Done by the publishing worker. */
  render_pdf: z.object({ pdf: z.string() }),
  /**
   * Reads the source of an OpenAPI specification, unless it has another one by then. Done by the publishing worker.
   * `again` where nobody asked for it: the address is read to see whether it answers anything else.
   */
  process_openapi: z.object({ spec: z.string(), source: z.number().int(), again: z.boolean().default(false) }),
} as const;

export type JobType = keyof typeof jobData;

import * as z from 'zod';

/**
 * Jobs by type, with the data that a step needs to continue. A job is a row of the outbox, like an event: it is written
 * in the batch of the change that requests it, sent to its queue, and sent again by the sweep; after ten failed
 * attempts it stays as a dead letter. Each step does a bounded part of the work and writes the next step in the batch
 * that completes it.
 */
export const jobData = {
  /**
   * Indexes the pages of a space for search, in the order of their ids. `after` is the last page that the previous step
   * indexed. If `anew` is true, pages that did not change are indexed too.
   */
  index_space: z.object({ after: z.string().optional(), anew: z.boolean().optional() }),
  /**
   * Updates the search index to the head of a space for the generated pages of all computed pages under the page
   * `place` ('' is the root). The first steps record which pages must be indexed; the steps with `planned` index them.
   * If `anew` is true, unchanged pages are indexed too.
   */
  index_made_pages: z.object({
    place: z.string(),
    planned: z.boolean().default(false),
    anew: z.boolean().default(false),
  }),
  /**
   * Indexes the pages that include one of the reusable contents. `after` is the last page of the first content that the
   * previous step indexed. The id '' selects the pages with an include that was not found, because a new content may
   * have the address that the include names.
   */
  index_includes: z.object({ contents: z.array(z.string()), after: z.string().optional() }),
  /**
   * Queues `index_made_pages` for the computed pages of an organization, or of one space or specification in it,
   * starting after the specification, space and parent page in `after`.
   */
  index_computed: z.object({
    spec: z.string().optional(),
    after: z.tuple([z.string(), z.string(), z.string()]).optional(),
  }),
  /**
   * Copies the content that a space reads from branches of other spaces into its own branch, starting after the node
   * `after`. Then removes those branches from the lineages of the space's revisions, starting after the revision `cut`.
   * The `number` of `cut` is that of a change request, or 0 for the live content.
   */
  flatten_space: z.object({
    after: z.object({ kind: z.string(), id: z.string() }).optional(),
    cut: z.object({ number: z.number().int(), seq: z.number().int() }).optional(),
  }),
  /** Merges small segments of an organization's search index, and removes pages of purged and transferred spaces. */
  compact_search: z.object({}),
  /**
   * Queues `index_space` for all spaces, or for all spaces in a collection, starting after the space `after`. Spaces
   * that are being purged are skipped.
   */
  index_spaces: z.object({
    collection: z.string().optional(),
    after: z.string().optional(),
    anew: z.boolean().optional(),
  }),
  /**
   * Queues `index_spaces` for all spaces. The migration of the search index uses this separate type because workers of
   * the previous version still run during the migration and must not handle the job.
   */
  build_search: z.object({}),
  /** Starts the purge of spaces whose time in the trash is over, and deletes unreferenced data. */
  sweep_expired: z.object({}),
  /**
   * Deletes a bounded part of a purged space, or of content that was retained after the purge because other spaces read
   * it. `after` is the position of the stage `versions`.
   */
  purge_space: z.object({
    stage: z
      .enum(['imports', 'branches', 'change_requests', 'search', 'versions', 'revisions', 'space'])
      .default('imports'),
    after: z.tuple([z.string(), z.string(), z.number()]).optional(),
  }),
  /**
   * Moves texts that nothing has used for `days` to the bucket, and moves texts that are used again back to the
   * database. A step continues after the document with the hash `after`.
   */
  move_texts: z.object({ days: z.number().int(), after: z.string().default('') }),
  /** Runs one step of an import: it fetches some URLs, links some pages, or moves all content to its target. */
  import_content: z.object({ import: z.string() }),
  /** Renders a requested PDF. Runs in the publishing worker. */
  render_pdf: z.object({ pdf: z.string() }),
  /**
   * Reads the source of an OpenAPI specification, unless the source has been replaced since. Runs in the publishing
   * worker. `again` is set if the URL is only checked for changes, without a user's request.
   */
  process_openapi: z.object({ spec: z.string(), source: z.number().int(), again: z.boolean().default(false) }),
} as const;

export type JobType = keyof typeof jobData;

import * as z from 'zod';

/**
 * Long work in steps, by type, with what a step needs to go on. A job is a row of the outbox, as an event is: it is
 * written in the batch of what asks for it, sent to its queue, sent again by the sweep, and stays as a dead letter when
 * ten attempts failed. A step does a bounded part and writes the next one in the batch that settles it.
 */
export const jobData = {
  /** Brings the search index of all pages of a space to its head, from the page after the one that is named. */
  index_space: z.object({ after: z.string().optional() }),
  /** Copies what a space reads from others' branches into its own, so that its lineage is one branch deep. */
  flatten_space: z.object({ after: z.string().optional() }),
  /** Deletes a bounded part of a space whose time in the trash is over. */
  purge_space: z.object({}),
  /** Takes an import one step on: some addresses are fetched, or some pages linked, or all brought to where they go. */
  import_content: z.object({ import: z.string() }),
} as const;

export type JobType = keyof typeof jobData;

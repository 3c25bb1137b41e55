import { eventData } from '@octavo/schema';
import { commitStep } from '../jobs/commit-step.ts';
import type { Job } from '../jobs/job.ts';
import { indexChangedPages } from './index-changed-pages.ts';

/** Keeps search true to the live content: one event names up to 25 pages of one revision. */
export const handleContentChanged: Job = async (event, context) => {
  const { pages } = eventData['content.changed'].parse(event.data);
  await commitStep(context, event, { statements: await indexChangedPages(context.db, event.space ?? '', pages) });
};

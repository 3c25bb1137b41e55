import { eventData } from '@octavo/schema';
import { indexChangedPages } from '../engine/search/index-changed-pages.ts';
import { commitStep } from './commit-step.ts';
import type { Job } from './job.ts';

/** Keeps search true to the live content: one event names up to 25 pages of one revision. */
export const handleContentChanged: Job = async (event, context) => {
  const { pages } = eventData['content.changed'].parse(event.data);
  await commitStep(context, event, { statements: await indexChangedPages(context.db, event.space ?? '', pages) });
};

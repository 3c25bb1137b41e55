import { settleEvent } from '@octavo/runtime';
import { eventData } from '@octavo/schema';
import type { Job } from '../jobs/job.ts';
import { indexChangedPages } from './index-changed-pages.ts';

/** Keeps search true to the live content: one event names up to 25 pages of one revision. */
export const handleContentChanged: Job = async (event, { db }) => {
  const { pages } = eventData['content.changed'].parse(event.data);
  await indexChangedPages(db, event.space ?? '', { pages, settle: [settleEvent(db, event.id)] });
};

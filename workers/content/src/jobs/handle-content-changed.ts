import { commitStep } from '@octavo/runtime';
import { indexChangedPages } from '../engine/search/index-changed-pages.ts';
import type { Job } from './job.ts';

/** Keeps search true to the live content: one event names up to 25 pages of one revision. */
export const handleContentChanged: Job<'content.changed'> = async (event, context) => {
  await commitStep(context, event, {
    statements: await indexChangedPages(context.db, event.space ?? '', event.data.pages),
  });
};

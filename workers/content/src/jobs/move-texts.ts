import { commitStep } from '@octavo/runtime';
import { moveNextTexts } from '../engine/texts/move-texts.ts';
import type { Job } from './job.ts';

const dayMilliseconds = 24 * 3_600_000;

/** Runs one step of moving texts between the database and the bucket. */
export const moveTexts: Job<'move_texts'> = async (event, context) => {
  const { days, after } = event.data;
  const range = { after, end: Date.now() - days * dayMilliseconds };
  const { statements, next } = await moveNextTexts(context.db, context.env.FILES, range);
  const events = next === undefined ? [] : [{ type: 'move_texts' as const, data: { days, after: next } }];
  await commitStep(context, event, { statements, events });
};

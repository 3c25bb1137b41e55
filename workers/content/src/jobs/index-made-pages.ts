import { retryOnConflict } from '@octavo/db';
import { commitStep } from '@octavo/runtime';
import type { NewEvent, OrganizationId, SpaceId } from '@octavo/schema';
import { indexMadePages } from '../engine/search/index-made-pages.ts';
import type { Job } from './job.ts';

/** One step: the next pages that are made under a place, in the order of their ids. */
export const indexMadePagesJob: Job<'index_made_pages'> = async (taken, context) => {
  const { organization, space, data } = taken;
  if (organization === null || space === null) throw new Error('The job names no space.');
  const { place, after = '', anew } = data;
  await retryOnConflict(async () => {
    const { statements, next } = await indexMadePages(context.db, space, { place, after, anew });
    const more = { type: 'index_made_pages' as const, organization, space, data: { place, after: next, anew } };
    await commitStep(context, taken, { statements, events: next === undefined ? [] : [more] });
  });
};

/** The jobs that index what is made under places of a space. */
export const madePagesJobs = (
  of: { organization: OrganizationId; space: SpaceId },
  places: string[],
  anew = false,
): NewEvent[] => places.map((place) => ({ type: 'index_made_pages', ...of, data: { place, anew } }));

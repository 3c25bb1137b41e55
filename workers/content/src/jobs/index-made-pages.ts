import type { Database, Statement } from '@octavo/db';
import { retryOnConflict } from '@octavo/db';
import type { Taken } from '@octavo/runtime';
import { commitStep } from '@octavo/runtime';
import type { NewEvent, OrganizationId, SpaceId } from '@octavo/schema';
import { indexMadePages } from '../engine/search/index-made-pages.ts';
import { planMadePages } from '../engine/search/plan-made-pages.ts';
import type { Job } from './job.ts';

/** One step: it notes what is to be indexed of the pages that are made under a place, or indexes the next of them. */
export const indexMadePagesJob: Job<'index_made_pages'> = async (taken, context) => {
  const { organization, space, data } = taken;
  if (organization === null || space === null) throw new Error('The job names no space.');
  await retryOnConflict(async () => {
    const { statements, next } = await stepOf(context.db, space, data);
    const events = next === undefined ? [] : [{ type: 'index_made_pages' as const, organization, space, data: next }];
    await commitStep(context, taken, { statements, events });
  });
};

type Step = Taken<'index_made_pages'>['data'];

async function stepOf(db: Database, space: SpaceId, data: Step): Promise<{ statements: Statement[]; next?: Step }> {
  if (data.planned) {
    const { statements, isPart } = await indexMadePages(db, space, data.place);
    return { statements, ...(isPart ? { next: data } : {}) };
  }
  const { statements, isPart, isDue } = await planMadePages(db, space, data);
  return { statements, ...(isPart || isDue ? { next: { ...data, planned: !isPart } } : {}) };
}

/** The jobs that index what is made under places of a space. */
export const madePagesJobs = (
  of: { organization: OrganizationId; space: SpaceId },
  places: string[],
  anew = false,
): NewEvent[] => places.map((place) => ({ type: 'index_made_pages', ...of, data: { place, planned: false, anew } }));

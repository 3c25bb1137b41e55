import type { Taken } from '@octavo/runtime';
import { commitTogether } from '@octavo/runtime';
import type { NewEvent } from '@octavo/schema';
import { maxPagesPerEvent } from '@octavo/schema';
import { indexChangedPages } from '../engine/search/index-changed-pages.ts';
import { findMadePlaces } from '../engine/search/made-places.ts';
import { madePagesJobs } from './index-made-pages.ts';
import type { JobContext } from './job.ts';

type Changes = Taken<'content.changed'>[];

/** Keeps search true to the live content of a space: what many edits changed is indexed once, as it is now. */
export async function handleContentChanged(events: Changes, context: JobContext): Promise<void> {
  for (const { taken, pages } of inParts(events)) {
    const { organization, space } = taken[0] ?? {};
    if (space == null) throw new Error('The event names no space.');
    const { statements, isInherited, nodes } = await indexChangedPages(context.db, space, [...pages]);
    const places = await findMadePlaces(context.db, space, [...pages], nodes);
    const events: NewEvent[] =
      organization == null
        ? []
        : [
            ...madePagesJobs({ organization, space }, places),
            ...(isInherited ? [{ type: 'index_space' as const, organization, space, data: {} }] : []),
          ];
    await commitTogether(context, taken, { statements, events });
  }
}

interface Part {
  taken: Changes;
  pages: Set<string>;
}

/** Events with the pages that they name, each part of no more pages than one event may name. */
function inParts(events: Changes): Part[] {
  const parts: Part[] = [];
  for (const event of events) {
    const part = parts.at(-1);
    const pages = new Set([...(part?.pages ?? []), ...event.data.pages]);
    if (part === undefined || pages.size > maxPagesPerEvent)
      parts.push({ taken: [event], pages: new Set(event.data.pages) });
    else parts.splice(-1, 1, { taken: [...part.taken, event], pages });
  }
  return parts;
}

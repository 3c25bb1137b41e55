import { runBatch } from '@octavo/db';
import type { StructureItem, StructurePointer } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { handler } from '../handler.ts';
import { readChangedGroup } from '../section-groups/section-groups.ts';
import { readChangedSection } from '../sections/sections.ts';
import { createSiteSpaceAccessCheck, readChangedSiteSpace } from '../site-spaces/site-spaces.ts';
import { moveItem } from './move-item.ts';
import { presentLink, presentStructure } from './presenter.ts';
import { readStructureView, selectLink } from './queries.ts';
import type { StructureContext } from './write-structure.ts';
import { createManagerView } from './write-structure.ts';

export const getSiteStructure = handler('getSiteStructure', async ({ query: { shareKey } }, context) => {
  const { structure, view, hasSections } = await readStructureView(context, shareKey);
  return presentStructure(structure, view, hasSections);
});

export const sortSiteStructure = handler('sortSiteStructure', async ({ body: { item, position = {} } }, context) => {
  const checks = item.type === 'site-space' ? [createSiteSpaceAccessCheck(context, item.id)] : [];
  await moveItem(context, item, { pointers: position, checks });
  return readMovedItem(context, item);
});

async function readMovedItem(context: StructureContext, { type, id }: StructurePointer): Promise<StructureItem> {
  if (type === 'site-space') return readChangedSiteSpace(context, id);
  if (type === 'site-section') return readChangedSection(context, id);
  if (type === 'site-section-group') return readChangedGroup(context, id);
  const { links } = await runBatch(context.db, { links: selectLink(context.site.id, id) });
  if (links[0] === undefined) throw notFound('external link');
  return presentLink(links[0], createManagerView(context));
}

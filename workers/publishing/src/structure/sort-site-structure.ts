import { runBatch } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing, StructureItem, StructurePointer } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { readChangedGroup } from '../section-groups/read-changed-group.ts';
import { readChangedSection } from '../sections/read-changed-section.ts';
import { seesSiteSpace } from '../site-spaces/checks.ts';
import { readChangedSiteSpace } from '../site-spaces/read-changed-site-space.ts';
import { moveItem } from './move-item.ts';
import { presentLink } from './present-structure.ts';
import { selectLink } from './structure-record.ts';
import type { StructureContext } from './write-structure.ts';
import { managersView } from './write-structure.ts';

export const sortSiteStructure: Handler<typeof publishing.sortSiteStructure, PublishingEnvironment> = async (
  { body: { item, position = {} } },
  context,
) => {
  const checks = item.type === 'site-space' ? [seesSiteSpace(context, item.id)] : [];
  await moveItem(context, item, { wanted: position, checks });
  return readMoved(context, item);
};

async function readMoved(context: StructureContext, { type, id }: StructurePointer): Promise<StructureItem> {
  if (type === 'site-space') return readChangedSiteSpace(context, id);
  if (type === 'site-section') return readChangedSection(context, id);
  if (type === 'site-section-group') return readChangedGroup(context, id);
  const { links } = await runBatch(context.db, { links: selectLink(context.site.id, id) });
  if (links[0] === undefined) throw notFound('external link');
  return presentLink(links[0], managersView(context));
}

import type { RowsOf } from '@octavo/db';
import { runBatch } from '@octavo/db';
import type { SiteSectionGroup } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { arrange } from '../structure/arrange.ts';
import { presentGroup } from '../structure/present-structure.ts';
import { shownStructure } from '../structure/shown-structure.ts';
import { selectGroup } from '../structure/structure-record.ts';
import type { StructureContext } from '../structure/write-structure.ts';
import { managersView } from '../structure/write-structure.ts';

/** A section group, as a batch gave it that changed it. */
export function presentChangedGroup(
  found: RowsOf<ReturnType<typeof selectGroup>>,
  context: StructureContext,
): SiteSectionGroup {
  const group = arrange(shownStructure(found, undefined)).find((each) => each.kind === 'group');
  if (group === undefined) throw notFound('section group');
  return presentGroup(group, managersView(context));
}

/** A section group after a change of it. */
export const readChangedGroup = async (context: StructureContext, id: string): Promise<SiteSectionGroup> =>
  presentChangedGroup(await runBatch(context.db, selectGroup(context, id)), context);

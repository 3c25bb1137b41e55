import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { arrange } from '../structure/arrange.ts';
import { pageOf } from '../structure/page-of.ts';
import { presentGroup } from '../structure/present-structure.ts';
import { viewStructure } from '../structure/view-structure.ts';

export const listSiteSectionGroups: Handler<typeof publishing.listSiteSectionGroups, PublishingEnvironment> = async (
  { query },
  context,
) => {
  const { shown, view } = await viewStructure(context, undefined);
  const groups = arrange(shown).flatMap((item) =>
    item.kind === 'group' ? [{ item, order: [item.position, item.id] }] : [],
  );
  return pageOf(groups, query, { depth: 2, present: (item) => presentGroup(item, view) });
};

import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { arrange, sectionsInOrder } from '../structure/arrange.ts';
import { pageOf } from '../structure/page-of.ts';
import { presentSection } from '../structure/present-structure.ts';
import { viewStructure } from '../structure/view-structure.ts';

export const listSiteSections: Handler<typeof publishing.listSiteSections, PublishingEnvironment> = async (
  { query: { shareKey, ...query } },
  context,
) => {
  const { shown, view } = await viewStructure(context, shareKey);
  return pageOf(sectionsInOrder(arrange(shown)), query, { depth: 4, present: (item) => presentSection(item, view) });
};

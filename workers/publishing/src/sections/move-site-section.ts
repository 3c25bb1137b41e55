import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { moveItem } from '../structure/move-item.ts';
import { readChangedSection } from './read-changed-section.ts';

export const moveSiteSection: Handler<typeof publishing.moveSiteSection, PublishingEnvironment> = async (
  { params: { siteSectionId: id }, body: { position = {} } },
  context,
) => {
  const pointerTo = (pointer: { siteSection: string } | undefined) =>
    pointer === undefined ? undefined : { type: 'site-section' as const, id: pointer.siteSection };
  const wanted = { before: pointerTo(position.before), after: pointerTo(position.after) };
  await moveItem(context, { type: 'site-section', id }, { wanted });
  return readChangedSection(context, id);
};

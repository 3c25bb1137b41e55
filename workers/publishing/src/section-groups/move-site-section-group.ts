import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { moveItem } from '../structure/move-item.ts';
import { readChangedGroup } from './read-changed-group.ts';

export const moveSiteSectionGroup: Handler<typeof publishing.moveSiteSectionGroup, PublishingEnvironment> = async (
  { params: { siteSectionGroupId: id }, body: { position = {} } },
  context,
) => {
  const pointerTo = (pointer: { siteSectionGroup: string } | undefined) =>
    pointer === undefined ? undefined : { type: 'site-section-group' as const, id: pointer.siteSectionGroup };
  const wanted = { before: pointerTo(position.before), after: pointerTo(position.after) };
  await moveItem(context, { type: 'site-section-group', id }, { wanted });
  return readChangedGroup(context, id);
};

import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { moveItem } from '../structure/move-item.ts';
import { seesSiteSpace } from './checks.ts';
import { readChangedSiteSpace } from './read-changed-site-space.ts';

export const moveSiteSpace: Handler<typeof publishing.moveSiteSpace, PublishingEnvironment> = async (
  { params: { siteSpaceId: id }, body: { position = {} } },
  context,
) => {
  const pointerTo = (pointer: { siteSpace: string } | undefined) =>
    pointer === undefined ? undefined : { type: 'site-space' as const, id: pointer.siteSpace };
  const wanted = { before: pointerTo(position.before), after: pointerTo(position.after) };
  await moveItem(context, { type: 'site-space', id }, { wanted, checks: [seesSiteSpace(context, id)] });
  return readChangedSiteSpace(context, id);
};

import { siteShareLinks } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { shareKeyOf } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { newId } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { shareKeyHash } from '../keys/site-keys.ts';
import { hasRoomFor } from '../structure/bounds.ts';
import { writeStructure } from '../structure/write-structure.ts';
import { presentShareLink } from './share-link-record.ts';

export const createSiteShareLink: Handler<typeof publishing.createSiteShareLink, PublishingEnvironment> = async (
  { body: { name } },
  context,
) => {
  const { db, env, site } = context;
  const id = newId('shareLink');
  const keyHash = await shareKeyHash(await shareKeyOf(env, id));
  const row = { id, site: site.id, name, active: true, keyHash, createdAt: Date.now() };
  await writeStructure(
    context,
    {
      event: { type: 'share_link.created', data: { site: site.id, shareLink: id } },
      checks: [hasRoomFor(site.id, 'site_share_links')],
      statements: [db.insert(siteShareLinks).values(row)],
    },
    [],
  );
  return presentShareLink(row, context);
};

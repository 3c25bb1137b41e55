import { commitChecked, deleteSite } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { siteThere } from './write-site.ts';

/** All that the site has goes with it; its spaces stay. */
export const deleteSiteById: Handler<typeof publishing.deleteSiteById, PublishingEnvironment> = async (
  _,
  { db, site, commit },
) => {
  const event = { type: 'site.deleted', organization: site.organization, data: { site: site.id } } as const;
  const deleted = deleteSite(db, site);
  await commitChecked(db, [siteThere(site)], (guards) =>
    commit([...guards, ...deleted.statements], [...deleted.events, event]),
  );
};

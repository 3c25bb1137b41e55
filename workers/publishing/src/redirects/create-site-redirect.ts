import { commitChecked, siteRedirects } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { invalid, newId, storedSource } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { faultOfDestination, findPlaces } from './destinations.ts';
import { presentRedirect } from './present-redirect.ts';
import { isFree, redirectChecks } from './redirect-checks.ts';

export const createSiteRedirect: Handler<typeof publishing.createSiteRedirect, PublishingEnvironment> = async (
  { body },
  context,
) => {
  const { db, site, commit } = context;
  const now = Date.now();
  const source = storedSource(body.source);
  const row = { ...body, ...source, id: newId('redirect'), site: site.id, createdAt: now, updatedAt: now };
  const places = await findPlaces(db, site.id, body.destination);
  const fault = faultOfDestination({ source, destination: body.destination }, places, context);
  if (fault !== undefined) throw invalid([{ path: 'body.destination', message: fault }]);
  const checks = [...redirectChecks(site, [body.destination]), isFree(site, row)];
  const event = { site: site.id, redirect: row.id };
  await commitChecked(db, checks, (guards, outcome) =>
    commit(
      [...guards, db.insert(siteRedirects).values(row), ...outcome],
      [{ type: 'site_redirect.created', organization: site.organization, data: event }],
    ),
  );
  return presentRedirect(row);
};

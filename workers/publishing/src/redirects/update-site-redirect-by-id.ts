import { commitChecked, siteRedirects } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import { invalid, notFound, storedSource } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { faultOfDestination, findPlaces } from './destinations.ts';
import { getSiteRedirect } from './find-site-redirect.ts';
import { presentRedirect, shownSource } from './present-redirect.ts';
import { isFree, redirectChecks } from './redirect-checks.ts';

export const updateSiteRedirectById: Handler<typeof publishing.updateSiteRedirectById, PublishingEnvironment> = async (
  { params, body },
  context,
) => {
  const { db, site, commit } = context;
  const before = await getSiteRedirect(db, site.id, params.siteRedirectId);
  const source = storedSource(body.source ?? shownSource(before));
  const changes = { ...body, ...source, updatedAt: Math.max(Date.now(), before.updatedAt + 1) };
  const row = {
    ...{ ...before, ...source, updatedAt: changes.updatedAt },
    draft: body.draft ?? before.draft,
    permanent: body.permanent ?? before.permanent,
    captureWildcard: body.captureWildcard ?? before.captureWildcard,
    destination: body.destination ?? before.destination,
  };
  if (body.source !== undefined || body.destination !== undefined) {
    const places = await findPlaces(db, site.id, row.destination);
    const fault = faultOfDestination({ source, destination: row.destination }, places, context);
    if (fault !== undefined) throw invalid([{ path: 'body.destination', message: fault }]);
  }
  const isThere = sql`EXISTS (SELECT 1 FROM site_redirects WHERE id = ${row.id} AND site = ${site.id})`;
  const checks = [
    { holds: isThere, otherwise: () => notFound('redirect') },
    ...redirectChecks(site, body.destination === undefined ? [] : [body.destination]),
    isFree(site, row),
  ];
  const write = db.update(siteRedirects).set(changes).where(sql`id = ${row.id} AND site = ${site.id}`);
  const event = { site: site.id, redirect: row.id };
  await commitChecked(db, checks, (guards, outcome) =>
    commit(
      [...guards, write, ...outcome],
      [{ type: 'site_redirect.updated', organization: site.organization, data: event }],
    ),
  );
  return presentRedirect(row);
};

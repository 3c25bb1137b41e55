import type { CallerRecord, Check, SiteRecord } from '@octavo/db';
import { actingMember, joinActingMember, spaceRank } from '@octavo/db';
import type { OrganizationId, SiteId } from '@octavo/schema';
import { conflict, namesNothing, notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';

export const maxSiteSpaces = 200;

interface Linked {
  organization: OrganizationId;
  actor: CallerRecord;
  /** The fields of the body that name the spaces, by their ids. */
  fields: Map<string, string>;
}

/** The actor sees the spaces when a site begins to show them, and they are of its organization. */
export function seesSpaces({ organization, actor, fields }: Linked): Check {
  const ids = JSON.stringify([...fields.keys()]);
  const missing = sql`SELECT w.value FROM json_each(${ids}) w WHERE NOT EXISTS (
    SELECT 1 FROM spaces s ${joinActingMember(sql`s.organization`, actor)}
    WHERE s.id = w.value AND s.organization = ${organization} AND s.deleted_at IS NULL AND s.purging_at IS NULL
      AND ${spaceRank(actingMember(actor))} > 0)`;
  return {
    holds: sql`NOT EXISTS (${missing})`,
    culprit: sql`(${missing} LIMIT 1)`,
    otherwise: (id) => namesNothing(fields.get(id ?? '') ?? 'spaceId', 'space'),
  };
}

/** The actor sees the space that a site space of the site shows. */
export function seesSiteSpace({ site, actor }: { site: SiteRecord; actor: CallerRecord }, id: string): Check {
  return {
    holds: sql`EXISTS (SELECT 1 FROM site_spaces ss CROSS JOIN spaces s ON s.id = ss.space AND s.deleted_at IS NULL
      ${joinActingMember(sql`s.organization`, actor)}
      WHERE ss.id = ${id} AND ss.site = ${site.id} AND s.organization = ${site.organization}
        AND ${spaceRank(actingMember(actor))} > 0)`,
    otherwise: () => notFound('site space'),
  };
}

/** What shows a space in the trash may be taken off the site by all who manage it: nobody sees that space. */
export function mayRemove({ site, actor }: { site: SiteRecord; actor: CallerRecord }, id: string): Check {
  const { holds, otherwise } = seesSiteSpace({ site, actor }, id);
  const isOfTrash = sql`EXISTS (SELECT 1 FROM site_spaces ss
    CROSS JOIN spaces s ON s.id = ss.space AND s.deleted_at IS NOT NULL AND s.organization = ${site.organization}
    WHERE ss.id = ${id} AND ss.site = ${site.id})`;
  return { holds: sql`(${holds} OR ${isOfTrash})`, otherwise };
}

/** A site shows so many site spaces at most. */
export const hasRoom = (site: SiteId): Check => ({
  holds: sql`EXISTS (SELECT 1 FROM sites WHERE id = ${site} AND site_spaces < ${sql.raw(String(maxSiteSpaces))})`,
  otherwise: () => conflict(`A site shows at most ${maxSiteSpaces} site spaces.`),
});

import type { SiteIcon, SiteId } from '@octavo/schema';
import { toRedirectPath } from '@octavo/schema';
import { aliasedTable, eq, sql } from 'drizzle-orm';
import type { Parameter } from '../query.ts';
import { prepareQuery } from '../query.ts';
import type { RecordOf } from '../selection.ts';
import { computed, fromJson, nullable, selection } from '../selection.ts';
import { organizations } from '../tables/org-admin.ts';
import { siteRedirects, sites } from '../tables/publishing.ts';

const [st, o] = [aliasedTable(sites, 'st'), aliasedTable(organizations, 'o')];

/** A site, with the hostname of its organization. Selects from `sites st` and `organizations o`. */
export const siteRow = selection({
  id: st.id,
  organization: st.organization,
  type: st.type,
  title: st.title,
  basename: st.basename,
  hostname: st.hostname,
  proxy: st.proxy,
  visibility: st.visibility,
  published: st.published,
  adaptive: st.adaptive,
  agentsContext: st.agentsContext,
  editLinks: st.editLinks,
  stamp: st.stamp,
  shown: st.shown,
  authBackend: st.authBackend,
  authIntegration: st.authIntegration,
  authFallback: st.authFallback,
  authKey: st.authKey,
  authShown: st.authShown,
  siteSpaces: st.siteSpaces,
  createdAt: st.createdAt,
  organizationHostname: o.hostname,
  organizationShown: o.shown,
  favicon: nullable(
    computed(
      fromJson<SiteIcon>(),
      sql`(SELECT look.settings->'$.favicon' FROM site_customizations look WHERE look.site = st.id AND look.site_space = '')`,
    ),
  ),
});

export type SiteRecord = RecordOf<typeof siteRow>;

/** A site with its organization's hostname, for use in a batch after a change. */
export const siteById = prepareQuery(siteRow, (select, id: Parameter<SiteId>) =>
  select.from(st).innerJoin(o, eq(o.id, st.organization)).where(eq(st.id, id)),
);

interface Level {
  path: string;
  isDefault: boolean;
}

/** The location of a space in a site. */
export interface SpaceLocation {
  siteSpace: Level;
  /** Null if the site has no sections. */
  section: (Level & { id: string }) | null;
  /** The conditions of the site space and its section. All of them must hold; null means no condition. */
  conditions: (string | null)[];
}

type Row = [
  path: string,
  isDefault: 0 | 1,
  condition: string | null,
  section: string | null,
  sectionPath: string,
  isDefaultSection: 0 | 1,
  sectionCondition: string | null,
];

/** An SQL expression for the locations of `spaces s` in `sites st`, in the order of the site's structure. */
export const locationsInSite = sql`(
  SELECT json_group_array(json_array(ss.path, ss.is_default, ss.condition, sec.id, sec.path, sec.is_default, sec.condition)
    ORDER BY sec.position, ss.position, ss.id)
  FROM site_spaces ss INDEXED BY site_spaces_by_space LEFT JOIN site_sections sec ON sec.id = ss.section
  WHERE ss.space = s.id AND ss.site = st.id)`;

/** Parses the result of `locationsInSite`. */
export const parseLocations = (json: string): SpaceLocation[] =>
  (JSON.parse(json) as Row[]).map(
    ([path, isDefault, condition, section, sectionPath, isDefaultSection, sectionCondition]) => ({
      siteSpace: { path, isDefault: isDefault === 1 },
      section: section === null ? null : { id: section, path: sectionPath, isDefault: isDefaultSection === 1 },
      conditions: [condition, sectionCondition],
    }),
  );

const sr = aliasedTable(siteRedirects, 'sr');

/** Selects from `site_redirects sr`. */
export const redirectRow = selection({
  id: sr.id,
  source: sr.source,
  wildcard: sr.wildcard,
  destination: sr.destination,
  draft: sr.draft,
  permanent: sr.permanent,
  captureWildcard: sr.captureWildcard,
  createdAt: sr.createdAt,
  updatedAt: sr.updatedAt,
});

export type RedirectRecord = RecordOf<typeof redirectRow>;

/**
 * Returns the part of a path that a wildcard matches and that is appended to the destination. Returns '' unless the
 * redirect captures this part.
 */
export const getCapturedPath = ({ source, wildcard, captureWildcard }: RedirectRecord, path: string): string =>
  wildcard && captureWildcard ? toRedirectPath(path).slice(source.length) : '';

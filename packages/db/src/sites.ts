import type {
  AgentsContext,
  OrganizationId,
  SiteIcon,
  SiteId,
  SiteType,
  SiteVisibility,
  SpaceId,
  UserId,
} from '@octavo/schema';
import { AdaptiveJsonSchema, CustomizationChanges, RedirectDestination } from '@octavo/schema';
import { aliasedTable, eq, sql } from 'drizzle-orm';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { foreverSeq } from './content.ts';
import type { RecordOf } from './fields.ts';
import { computed, maybe, parsed, storedJson } from './fields.ts';
import { organizations } from './org-admin.ts';
import type { Parameter } from './selection.ts';
import { prepared, selection } from './selection.ts';

/** Sites. Times are milliseconds. */
export const sites = sqliteTable('sites', {
  id: text('id').$type<SiteId>().primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  type: text('type').$type<SiteType>().notNull().default('basic'),
  title: text('title').notNull(),
  basename: text('basename').notNull(),
  hostname: text('hostname'),
  proxy: text('proxy'),
  visibility: text('visibility').$type<SiteVisibility>().notNull().default('public'),
  published: integer('published', { mode: 'boolean' }).notNull().default(false),
  adaptive: integer('adaptive', { mode: 'boolean' }).notNull().default(false),
  agentsContext: text('agents_context').$type<AgentsContext>().notNull().default('included'),
  /** Random, and another one whenever what visitors hold is to end: they must bring it. */
  stamp: text('stamp').notNull(),
  /** Counts the changes of what any visitor is shown. */
  shown: integer('shown').notNull().default(0),
  authBackend: text('auth_backend').$type<'custom' | 'integration'>().notNull().default('custom'),
  authIntegration: text('auth_integration'),
  authFallback: text('auth_fallback'),
  /** Random: what the key that visitors' tokens are signed with is derived from, with the server's secret. */
  authKey: text('auth_key').notNull(),
  authShown: integer('auth_shown', { mode: 'boolean' }).notNull().default(false),
  /** A count, kept by triggers. */
  siteSpaces: integer('site_spaces').notNull().default(0),
  createdBy: text('created_by').$type<UserId>().notNull(),
  createdAt: integer('created_at').notNull(),
});

export const siteSectionGroups = sqliteTable('site_section_groups', {
  id: text('id').primaryKey(),
  site: text('site').$type<SiteId>().notNull(),
  title: text('title').notNull(),
  icon: text('icon'),
  position: text('position').notNull(),
  createdAt: integer('created_at').notNull(),
});

export const siteSections = sqliteTable('site_sections', {
  id: text('id').primaryKey(),
  site: text('site').$type<SiteId>().notNull(),
  sectionGroup: text('section_group'),
  title: text('title').notNull(),
  description: text('description'),
  path: text('path').notNull(),
  icon: text('icon'),
  condition: text('condition'),
  isDefault: integer('is_default', { mode: 'boolean' }).notNull().default(false),
  position: text('position').notNull(),
  createdAt: integer('created_at').notNull(),
});

export const siteSpaces = sqliteTable('site_spaces', {
  id: text('id').primaryKey(),
  site: text('site').$type<SiteId>().notNull(),
  /** '' where the site has no sections. */
  section: text('section').notNull().default(''),
  space: text('space').$type<SpaceId>().notNull(),
  path: text('path').notNull(),
  condition: text('condition'),
  isDefault: integer('is_default', { mode: 'boolean' }).notNull().default(false),
  position: text('position').notNull(),
  createdAt: integer('created_at').notNull(),
});

export const siteExternalLinks = sqliteTable('site_external_links', {
  id: text('id').primaryKey(),
  site: text('site').$type<SiteId>().notNull(),
  sectionGroup: text('section_group'),
  title: text('title').notNull(),
  description: text('description'),
  url: text('url').notNull(),
  icon: text('icon'),
  condition: text('condition'),
  position: text('position').notNull(),
  createdAt: integer('created_at').notNull(),
});

export const siteShareLinks = sqliteTable('site_share_links', {
  id: text('id').primaryKey(),
  site: text('site').$type<SiteId>().notNull(),
  name: text('name').notNull(),
  active: integer('active', { mode: 'boolean' }).notNull().default(true),
  /** SHA-256 of the key, in hex. The key itself follows from the id and the server's secret. */
  keyHash: text('key_hash').notNull(),
  createdAt: integer('created_at').notNull(),
});

export const siteRedirects = sqliteTable('site_redirects', {
  id: text('id').primaryKey(),
  site: text('site').$type<SiteId>().notNull(),
  /** The path from the site on, begins with a slash; that of a wildcard is without its '/*'. */
  source: text('source').notNull(),
  wildcard: integer('wildcard', { mode: 'boolean' }).notNull().default(false),
  destination: storedJson('destination', RedirectDestination).notNull(),
  draft: integer('draft', { mode: 'boolean' }).notNull().default(false),
  permanent: integer('permanent', { mode: 'boolean' }).notNull().default(false),
  captureWildcard: integer('capture_wildcard', { mode: 'boolean' }).notNull().default(false),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/** How a site looks; what a site space has of its own stands in its own row. '' is the site itself. */
export const siteCustomizations = sqliteTable(
  'site_customizations',
  {
    site: text('site').$type<SiteId>().notNull(),
    siteSpace: text('site_space').notNull().default(''),
    settings: storedJson('settings', CustomizationChanges).notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.site, table.siteSpace] })],
);

export const siteAdaptiveSchemas = sqliteTable('site_adaptive_schemas', {
  site: text('site').$type<SiteId>().primaryKey(),
  jsonSchema: storedJson('json_schema', AdaptiveJsonSchema).notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/** At which paths of a site a space stands, and stood; kept by triggers. */
export const sitePlaces = sqliteTable('site_places', {
  id: integer('id').primaryKey(),
  site: text('site').$type<SiteId>().notNull(),
  /** What an address has of the section and of the site space; '' is the site's own. */
  path: text('path').notNull(),
  /** Of two that stand at one address the higher is meant: 2 where the section is named, 1 more where the site space is. */
  rank: integer('rank').notNull(),
  space: text('space').$type<SpaceId>().notNull(),
  siteSpace: text('site_space').notNull(),
  since: integer('since').notNull(),
  until: integer('until').notNull().default(foreverSeq),
  /** Counts how often something left its place in the site; null while it stands there. */
  leftAs: integer('left_as'),
});

/** What the address of a site once was; kept by a trigger. */
export const siteFormerAddresses = sqliteTable(
  'site_former_addresses',
  {
    site: text('site').$type<SiteId>().notNull(),
    organization: text('organization').$type<OrganizationId>().notNull(),
    kind: text('kind').$type<'basename' | 'hostname' | 'proxy'>().notNull(),
    value: text('value').notNull(),
    until: integer('until').notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.value, table.site] })],
);

const [st, o] = [aliasedTable(sites, 'st'), aliasedTable(organizations, 'o')];

/** A site, with the hostname of its organization. Of `sites st` and `organizations o`. */
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
  favicon: maybe(
    computed(
      parsed<SiteIcon>(),
      sql`(SELECT look.settings->'$.favicon' FROM site_customizations look WHERE look.site = st.id AND look.site_space = '')`,
    ),
  ),
});

export type SiteRecord = RecordOf<typeof siteRow>;

/** A site with its organization's hostname; it goes into a batch to tell what a change has made of it. */
export const siteById = prepared(siteRow, (select, id: Parameter<SiteId>) =>
  select.from(st).innerJoin(o, eq(o.id, st.organization)).where(eq(st.id, id)),
);

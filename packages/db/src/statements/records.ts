import type { OrganizationId, Role, SiteId, SiteVisibility } from '@octavo/schema';
import { getRoleByRank } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { RecordOf, Value } from '../selection.ts';
import { computed, fromJson, fromQuery, nullable, selection } from '../selection.ts';
import { changeRequests, spaceCounters } from '../tables/collaboration.ts';
import { collections, revisions, spaces } from '../tables/content.ts';
import { integrations } from '../tables/integrations.ts';
import { members, organizations, teamMembers, teams, users } from '../tables/org-admin.ts';
import { openapiEntries } from '../tables/publishing.ts';

/**
 * Returns the SQL condition that a user can be named, listed and granted access. Accounts of integrations act like
 * members and are shown as the authors of their changes, but no list of users includes them. Their ids have a separate
 * prefix.
 */
export const isListedUser = (user: SQL): SQL => sql`${user} NOT GLOB 'acc_*'`;

/**
 * The display name of a user. The account of an installation has the current title of its integration as name, so that
 * no other rows change with the title.
 */
export const selectCurrentName = ({ displayName, integration }: typeof users): SQL<string> =>
  sql`CASE WHEN ${integration} IS NULL THEN ${displayName}
    ELSE COALESCE((SELECT titled.title FROM integrations titled WHERE titled.name = ${integration}), ${displayName}) END`;

/** `selectCurrentName` as a field of a selection. */
export const createDisplayNameField = (user: typeof users): Value<string> =>
  computed(user.displayName, selectCurrentName(user));

/** The visible fields of a user, from a `users` table. */
export const createUserFields = (user: typeof users) => ({
  id: user.id,
  displayName: createDisplayNameField(user),
  email: user.email,
  photoUrl: user.photoUrl,
});

export type UserRecord = RecordOf<ReturnType<typeof createUserFields>>;

const u = aliasedTable(users, 'u');

/** Selects from `users u`. */
export const userRow = selection(createUserFields(u));

/**
 * The fields of a member, from a `members` and its `users` table. `role` is null for a guest; `spaces` counts direct
 * grants.
 */
export const createMemberFields = (member: typeof members, user: typeof users) => ({
  user: createUserFields(user),
  kind: user.kind,
  role: member.role,
  disabled: member.disabled,
  sso: member.sso,
  joinedAt: member.joinedAt,
  lastSeenAt: member.lastSeenAt,
  spaces: member.spaces,
  teams: member.teams,
});

export type MemberRecord = RecordOf<ReturnType<typeof createMemberFields>>;

/** Selects from `members m` and `users u`. */
export const memberRow = selection(createMemberFields(aliasedTable(members, 'm'), u));

const c = aliasedTable(collections, 'c');

/**
 * A collection as a member sees it. A member without a role on the collection can see it if it contains content that
 * the member can see. Selects from `collections c`.
 */
export const collectionRow = selection({
  id: c.id,
  organization: c.organization,
  parent: c.parent,
  title: c.title,
  description: c.description,
  defaultLevel: c.defaultLevel,
  createdBy: c.createdBy,
  createdAt: c.createdAt,
  position: c.position,
  role: nullable(fromQuery(getRoleByRank)),
  onTheWay: fromQuery(Boolean),
});

export type CollectionRecord = RecordOf<typeof collectionRow>;

/** The fields of a revision that are needed to read its content. */
export const createPointFields = (revision: typeof revisions) => ({
  id: revision.id,
  branch: revision.branch,
  seq: revision.seq,
  lineage: revision.lineage,
});

const [s, head] = [aliasedTable(spaces, 's'), aliasedTable(revisions, 'head')];
const counters = aliasedTable(spaceCounters, 'counters');
const createCounterField = <Counter extends SQLiteColumn>(counter: Counter) =>
  computed(counter, sql`COALESCE(${counter}, 0)`);

/**
 * The location of a space in a published site: the URL parts of the site, and the paths of the section and site space
 * unless they are the defaults of their level.
 */
export interface PublishedLocation {
  site: SiteId;
  organization: OrganizationId;
  organizationHostname: string | null;
  basename: string;
  hostname: string | null;
  proxy: string | null;
  visibility: SiteVisibility;
  section: string | null;
  siteSpace: string | null;
}

/**
 * The location of `spaces s` in a published site: the site with the most open visibility, or the oldest of several such
 * sites. If no site shows the space, this costs one index search.
 */
const publishedLocation = sql`(
  SELECT json_object('site', pub.id, 'organization', pub.organization, 'organizationHostname', pub_o.hostname, 'basename', pub.basename,
    'hostname', pub.hostname, 'proxy', pub.proxy, 'visibility', pub.visibility,
    'section', CASE WHEN pub_sec.is_default = 0 THEN pub_sec.path END,
    'siteSpace', CASE WHEN pub_ss.is_default = 0 THEN pub_ss.path END)
  FROM site_spaces pub_ss INDEXED BY site_spaces_by_space
  CROSS JOIN sites pub ON pub.id = pub_ss.site AND pub.published AND pub.organization = s.organization
  CROSS JOIN organizations pub_o ON pub_o.id = pub.organization
  LEFT JOIN site_sections pub_sec ON pub_sec.id = pub_ss.section
  WHERE pub_ss.space = s.id AND s.deleted_at IS NULL
  ORDER BY CASE pub.visibility WHEN 'public' THEN 1 WHEN 'unlisted' THEN 2 WHEN 'share-link' THEN 3 ELSE 4 END,
    pub.created_at, pub.id,
    pub_ss.condition IS NOT NULL OR pub_sec.condition IS NOT NULL, pub_sec.position, pub_ss.position, pub_ss.id LIMIT 1)`;

/** A space with the head of its live content and its counters. Selects from `spaces s` with `spaceJoins`. */
export const spaceRow = selection({
  id: s.id,
  organization: s.organization,
  parent: s.parent,
  title: s.title,
  emoji: s.emoji,
  editMode: s.editMode,
  visibility: s.visibility,
  defaultLevel: s.defaultLevel,
  createdBy: s.createdBy,
  createdAt: s.createdAt,
  updatedAt: computed(s.updatedAt, sql`MAX(${s.updatedAt}, ${head.createdAt})`),
  deletedAt: s.deletedAt,
  mergeRules: s.mergeRules,
  gitSync: s.gitSync,
  publishedAt: nullable(computed(fromJson<PublishedLocation>(), publishedLocation)),
  comments: createCounterField(counters.comments),
  changeRequests: createCounterField(counters.changeRequests),
  changeRequestsOpen: createCounterField(counters.changeRequestsOpen),
  changeRequestsDraft: createCounterField(counters.changeRequestsDraft),
  head: createPointFields(head),
});

export type SpaceRecord = RecordOf<typeof spaceRow>;

/**
 * The head of a space is the newest revision of its own branch. It is not stored a second time, so it cannot become
 * stale.
 */
export const spaceJoins = sql`
  LEFT JOIN revisions head ON head.branch = s.id AND head.seq = (SELECT MAX(seq) FROM revisions WHERE branch = s.id)
  LEFT JOIN space_counters counters ON counters.space = s.id`;

/** A caller's membership in an organization, without a role if it is not effective (see `isActive`). */
export interface Membership {
  role: Role | null;
  active: boolean;
  ownsTeam: boolean;
  /**
   * Set if the caller is an installation. Its role determines what it may do, but not which parts of the organization
   * it sees.
   */
  isInstallation?: true;
}

/**
 * Returns the SQL condition that the caller can see the organization of the membership `m`. `boundTo` is the
 * organization that the caller's token is bound to, if any. The condition also holds if the membership gives no other
 * right because the organization enforces SSO.
 */
export const showsOrganization = (boundTo: SQL): SQL =>
  sql`(NOT m.disabled AND (${boundTo} IS NULL OR ${boundTo} = m.organization))`;

/** Selects from `members m`; the query must select `active` with `isActive`. */
export const membershipRow = selection({
  role: nullable(aliasedTable(members, 'm').role),
  active: fromQuery(Boolean),
  ownsTeam: computed(
    Boolean,
    sql`EXISTS (SELECT 1 FROM team_members tm WHERE tm.user = m.user AND tm.organization = m.organization AND tm.role = 'owner')`,
  ),
});

const o = aliasedTable(organizations, 'o');

/** Selects from `organizations o`. */
export const organizationRow = selection({
  id: o.id,
  title: o.title,
  createdAt: o.createdAt,
  emailDomains: o.emailDomains,
  hostname: o.hostname,
  type: o.type,
  defaultRole: o.defaultRole,
  inviteLinks: o.inviteLinks,
  sso: o.sso,
  ai: o.ai,
  logo: o.logo,
  defaultContent: o.defaultContent,
  mergeRules: o.mergeRules,
});

export type OrganizationRecord = RecordOf<typeof organizationRow>;

const [t, mine] = [aliasedTable(teams, 't'), aliasedTable(teamMembers, 'mine')];

/** A team, with the caller's role in it, if any. Selects from `teams t` and the caller's `team_members mine`. */
export const teamRow = selection({
  id: t.id,
  title: t.title,
  createdAt: t.createdAt,
  members: t.members,
  spaces: t.spaces,
  ownRole: nullable(mine.role),
});

export type TeamRecord = RecordOf<typeof teamRow>;

const cr = aliasedTable(changeRequests, 'cr');
const base = aliasedTable(revisions, 'cr_base');
const merged = aliasedTable(revisions, 'cr_merged');

/**
 * A change request with its revisions: `base` is the revision that it is based on, `merged` is the revision that merged
 * it, with the author, and `mainSeq` is the number of the newest live revision. Selects from `change_requests cr` with
 * `changeRequestJoins`.
 */
export const changeRequestRow = selection({
  id: cr.id,
  space: cr.space,
  number: cr.number,
  subject: cr.subject,
  description: cr.description,
  status: cr.status,
  createdBy: createUserFields(aliasedTable(users, 'cr_author')),
  createdAt: cr.createdAt,
  updatedAt: cr.updatedAt,
  comments: cr.comments,
  revisionInitial: cr.revisionInitial,
  /** `seq` is 0 if the base is a revision of another change request, so that it counts as behind the live content. */
  base: {
    id: base.id,
    seq: computed(revisions.seq, sql`CASE WHEN cr_base.branch = cr.space THEN cr_base.seq ELSE 0 END`),
  },
  merged: nullable({
    revision: merged.id,
    by: createUserFields(aliasedTable(users, 'cr_merger')),
    at: merged.createdAt,
  }),
  head: createPointFields(aliasedTable(revisions, 'cr_head')),
  mainSeq: computed(revisions.seq, sql`(SELECT MAX(seq) FROM revisions WHERE branch = cr.space)`),
});

export type ChangeRequestRecord = RecordOf<typeof changeRequestRow>;

/** A branch without revisions is read through the revision that it was created from. */
export const changeRequestJoins = sql`
  LEFT JOIN users cr_author ON cr_author.id = cr.created_by
  LEFT JOIN revisions cr_head ON cr_head.id = COALESCE(
    (SELECT id FROM revisions WHERE branch = cr.id ORDER BY seq DESC LIMIT 1), cr.revision_initial)
  LEFT JOIN revisions cr_base ON cr_base.branch = CASE WHEN cr_head.branch = cr.id THEN cr_head.lineage->>'$[1][0]' ELSE cr_head.branch END
    AND cr_base.seq = CASE WHEN cr_head.branch = cr.id THEN cr_head.lineage->>'$[1][1]' ELSE cr_head.seq END
  LEFT JOIN revisions cr_merged ON cr_merged.change_request = cr.id
  LEFT JOIN users cr_merger ON cr_merger.id = cr_merged.author`;

/**
 * The SQL condition that another user has asked the caller to review `change_requests cr` of `spaces s`, directly or
 * through a team. A request by the caller does not count, so that callers cannot give themselves a right.
 */
export const isRequested = sql`(
  EXISTS (SELECT 1 FROM requested_reviewers q WHERE q.change_request = cr.id AND q.kind = 'user'
    AND q.subject = caller_id AND q.requested_by <> caller_id AND q.organization = s.organization)
  OR EXISTS (SELECT 1 FROM requested_reviewers q CROSS JOIN team_members tm ON tm.team = q.subject AND tm.user = caller_id
    AND tm.organization = s.organization
    WHERE q.change_request = cr.id AND q.kind = 'team' AND q.requested_by <> caller_id AND q.organization = s.organization))`;

const e = aliasedTable(openapiEntries, 'e');

/** Selects from `openapi_entries e`. */
export const openapiEntryRow = selection({
  ordinal: e.ordinal,
  kind: e.kind,
  parent: e.parent,
  slug: e.slug,
  title: e.title,
  description: e.description,
  icon: e.icon,
  name: e.name,
  method: e.method,
  path: e.path,
  deprecated: e.deprecated,
});

export type OpenAPIEntryRecord = RecordOf<typeof openapiEntryRow>;

const i = aliasedTable(integrations, 'i');

/** The visible columns of an integration, without encrypted ones. Selects from `integrations i`. */
export const integrationRow = selection({
  name: i.name,
  organization: i.organization,
  account: i.account,
  version: i.version,
  title: i.title,
  description: i.description,
  summary: i.summary,
  target: i.target,
  visibility: i.visibility,
  verified: i.verified,
  runtime: i.runtime,
  scopes: i.scopes,
  categories: i.categories,
  blocks: i.blocks,
  blockDomains: i.blockDomains,
  contentSources: i.contentSources,
  configurations: i.configurations,
  externalLinks: i.externalLinks,
  contentSecurityPolicy: i.contentSecurityPolicy,
  events: i.events,
  webhook: i.webhook,
  icon: i.icon,
  previewImages: i.previewImages,
  createdAt: i.createdAt,
});

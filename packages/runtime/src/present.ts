import type {
  ChangeRequestRecord,
  CollectionRecord,
  MemberRecord,
  Membership,
  OrganizationRecord,
  PublishedLocation,
  SiteRecord,
  SpaceRecord,
  UserRecord,
} from '@octavo/db';
import type {
  ChangeRequest,
  Collection,
  Member,
  Organization,
  Role,
  Site,
  SiteFeature,
  Space,
  StoredGitSync,
  User,
} from '@octavo/schema';
import {
  formatTimestamp,
  getCollectionPermissions,
  getGitRepositoryUrls,
  getOrganizationPermissions,
  getSpacePermissions,
  strangerPermissions,
} from '@octavo/schema';
import type { Urls } from './respond.ts';

/** The visible fields of a user. Guests do not see the email addresses of other users. */
interface UserView {
  /** Whether the email address is visible; true by default. */
  email?: boolean;
}

export const presentUser = (user: UserRecord, urls: Urls, { email = true }: UserView = {}): User => ({
  object: 'user',
  id: user.id,
  displayName: user.displayName,
  ...(email ? { email: user.email } : {}),
  ...(user.photoUrl === null ? {} : { photoURL: user.photoUrl }),
  urls: { location: urls.location(`/users/${user.id}`) },
});

export const presentMember = (member: MemberRecord, urls: Urls, view?: UserView): Member => ({
  object: 'member',
  id: member.user.id,
  role: member.role,
  user: presentUser(member.user, urls, view),
  disabled: member.disabled,
  joinedAt: formatTimestamp(member.joinedAt),
  ...(member.lastSeenAt === null ? {} : { lastSeenAt: formatTimestamp(member.lastSeenAt) }),
  sso: member.sso,
  spaces: member.spaces,
  teams: member.teams,
  sites: 0,
});

/** Returns an organization as one of its members sees it. Installations see it as non-members do. */
export const presentOrganization = (record: OrganizationRecord, membership: Membership, urls: Urls): Organization =>
  membership.isInstallation ? presentForNonMember(record, [], urls) : presentForMember(record, membership, urls);

const presentForMember = (record: OrganizationRecord, membership: Membership, urls: Urls): Organization => ({
  ...presentPublicFields(record, urls),
  ...(record.hostname === null ? {} : { hostname: record.hostname }),
  defaultRole: record.defaultRole,
  ...(record.defaultContent === null ? {} : { defaultContent: record.defaultContent }),
  ai: record.ai,
  mergeRules: record.mergeRules ?? { type: 'none' },
  permissions: getOrganizationPermissions(membership.role, membership.ownsTeam),
});

/**
 * Returns the fields of an organization that non-members can see. `emailDomains` are the domains that the caller
 * already knows.
 */
export const presentForNonMember = (record: OrganizationRecord, emailDomains: string[], urls: Urls): Organization => ({
  ...presentPublicFields(record, urls),
  emailDomains,
  mergeRules: { type: 'none' },
  permissions: strangerPermissions,
});

/** A self-hosted server has no plans; clients still expect the plan fields. */
function presentPublicFields(record: OrganizationRecord, urls: Urls): Omit<Organization, 'permissions'> {
  const path = `/orgs/${record.id}`;
  return {
    object: 'organization',
    id: record.id,
    title: record.title,
    createdAt: formatTimestamp(record.createdAt),
    emailDomains: record.emailDomains,
    type: record.type,
    sso: record.sso,
    inviteLinks: record.inviteLinks,
    plan: 'community_2024',
    urls: {
      location: urls.location(path),
      app: urls.app(path),
      ...(record.logo === null ? {} : { logo: record.logo }),
    },
    trial: { status: 'notapplicable', count: 0 },
  };
}

/** Returns a collection as it appears to the member whose role is in the record. */
export function presentCollection(collection: CollectionRecord, urls: Urls): Collection {
  const { id, title, description, organization, parent, defaultLevel, role, onTheWay } = collection;
  const path = `/collections/${id}`;
  return {
    object: 'collection',
    id,
    title,
    ...(description === null || description === '' ? {} : { description }),
    organization,
    ...(parent === null ? {} : { parent }),
    defaultLevel,
    urls: { location: urls.location(path), app: urls.app(path) },
    permissions: getCollectionPermissions(role, onTheWay),
  };
}

/** Returns a space as a caller with this effective role sees it. */
export function presentSpace(space: SpaceRecord, role: Role | null, urls: Urls): Space {
  const path = `/spaces/${space.id}`;
  const { id, title, emoji, visibility, editMode, organization, defaultLevel } = space;
  const { comments, changeRequests, changeRequestsOpen, changeRequestsDraft, publishedAt } = space;
  return {
    object: 'space',
    id,
    type: 'document',
    title,
    emoji,
    visibility: publishedAt?.visibility ?? (space.parent === null ? visibility : 'in-collection'),
    createdAt: formatTimestamp(space.createdAt),
    updatedAt: formatTimestamp(space.updatedAt),
    ...(space.deletedAt === null ? {} : { deletedAt: formatTimestamp(space.deletedAt) }),
    editMode,
    organization,
    ...(space.parent === null ? {} : { parent: space.parent }),
    revision: space.head.id,
    defaultLevel,
    mergeRules: space.mergeRules ?? { type: 'inherit' },
    comments,
    changeRequests,
    changeRequestsOpen,
    changeRequestsDraft,
    urls: { location: urls.location(path), app: urls.app(path), ...toPublishedUrls(publishedAt, urls) },
    ...(space.gitSync === null ? {} : { gitSync: presentGitSync(space.gitSync) }),
    permissions: getSpacePermissions(role, space.deletedAt !== null),
  };
}

function presentGitSync({ updatedAt, ...repository }: StoredGitSync): Space['gitSync'] {
  const { name, provider, folder } = getGitRepositoryUrls(repository);
  return {
    repoName: name,
    ...(provider === undefined ? {} : { installationProvider: provider }),
    ...(folder === undefined ? {} : { url: folder }),
    updatedAt: formatTimestamp(updatedAt),
    ...repository,
  };
}

/** Returns the URLs at which the space is published. Every user may see the URL of a public site. */
function toPublishedUrls(
  location: PublishedLocation | null,
  urls: Urls,
  shareKey?: string,
): { published?: string; public?: string } {
  if (location === null) return {};
  const toLevel = (path: string | null) => (path === null ? undefined : { path, isDefault: false });
  const position = { shareKey, section: toLevel(location.section), siteSpace: toLevel(location.siteSpace) };
  const published = urls.published(location, position);
  return location.visibility === 'public' ? { published, public: published } : { published };
}

/**
 * Returns a space as a visitor of a site sees it, without the activity of members. The record contains the location in
 * that site; the URLs contain the share link key, if the site needs one. `hasEditLinks` says whether the site links to
 * the source files of pages.
 */
export function presentToVisitor(
  space: SpaceRecord,
  urls: Urls,
  { shareKey, hasEditLinks }: { shareKey: string | undefined; hasEditLinks: boolean },
): Space {
  const gitSync = hasEditLinks ? space.gitSync : null;
  const presented = presentSpace({ ...space, parent: null, gitSync }, 'read', urls);
  return {
    ...presented,
    urls: { ...presented.urls, ...toPublishedUrls(space.publishedAt, urls, shareKey) },
    defaultLevel: null,
    mergeRules: { type: 'inherit' },
    ...{ comments: 0, changeRequests: 0, changeRequestsOpen: 0, changeRequestsDraft: 0 },
    permissions: { ...presented.permissions, access: false },
  };
}

/** Returns a change request as clients see it. Its base, head and `outdated` are computed from the branch. */
export function presentChangeRequest(record: ChangeRequestRecord, urls: Urls, view?: UserView): ChangeRequest {
  const path = `/spaces/${record.space}/change-requests/${record.id}`;
  const { merged } = record;
  return {
    object: 'change-request',
    id: record.id,
    space: record.space,
    number: record.number,
    status: record.status,
    subject: record.subject,
    ...(record.description === '' ? {} : { description: record.description }),
    createdBy: presentUser(record.createdBy, urls, view),
    createdAt: formatTimestamp(record.createdAt),
    updatedAt: formatTimestamp(record.updatedAt),
    revision: record.head.id,
    revisionInitial: record.revisionInitial,
    ...(record.base.id === record.revisionInitial ? {} : { revisionMergedAncestor: record.base.id }),
    ...(merged === null
      ? {}
      : {
          revisionMerged: merged.revision,
          mergedBy: presentUser(merged.by, urls, view),
          mergedAt: formatTimestamp(merged.at),
        }),
    comments: record.comments,
    outdated: merged === null && record.mainSeq > record.base.seq,
    urls: { app: urls.app(path), location: urls.location(path) },
  };
}

/** A self-hosted server has no plans: every site has all features. */
const features: SiteFeature[] = (
  [
    'sites-adaptive-content',
    'sites-advanced-customization',
    'sites-api-playground',
    'sites-basic-customization',
    'sites-custom-domain',
    'sites-custom-subdirectory',
    'sites-full-text-search',
    'sites-multivariant-site',
    'sites-pdf-export',
    'sites-preview-deployments',
    'sites-public-visibility',
    'sites-redirects',
    'sites-sections',
    'sites-seo',
    'sites-share-links',
    'sites-unlisted-visibility',
    'sites-visitor-authentication',
    'sites-visitors',
  ] as const
).map((id) => ({ id, plan: 'ultimate', frozen: false }));

/** The part of a site that a caller with limited rights can see. */
interface SiteView {
  /** The number of visible site spaces. Default: all. */
  siteSpaces?: number;
  /** The share link key in the site's URLs. */
  shareKey?: string | undefined;
}

export function presentSite(site: SiteRecord, urls: Urls, { siteSpaces, shareKey }: SiteView = {}): Site {
  const path = `/orgs/${site.organization}/sites/${site.id}`;
  const { hostname, proxy, favicon } = site;
  return {
    object: 'site',
    id: site.id,
    type: site.type,
    title: site.title,
    ...(favicon?.icon === undefined && favicon?.emoji === undefined ? {} : { icon: favicon }),
    ...(hostname === null ? {} : { hostname }),
    basename: site.basename,
    ...(proxy === null ? {} : { proxy: { origin: proxy, target: urls.ownSite(site) } }),
    visibility: site.visibility,
    published: site.published,
    siteSpaces: siteSpaces ?? site.siteSpaces,
    createdAt: formatTimestamp(site.createdAt),
    adaptiveContent: { enabled: site.adaptive },
    agentsContext: site.agentsContext,
    features,
    urls: {
      location: urls.location(path),
      app: urls.app(path),
      ...(site.published ? { published: urls.published(site, { shareKey: getShareKey(site, shareKey) }) } : {}),
    },
  };
}

/** Returns the share link key for the site's URLs, if the site needs one. */
export const getShareKey = ({ visibility }: SiteRecord, shareKey: string | undefined): string | undefined =>
  visibility === 'share-link' ? shareKey : undefined;

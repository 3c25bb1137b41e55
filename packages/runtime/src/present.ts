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
  User,
} from '@octavo/schema';
import {
  collectionPermissions,
  organizationPermissions,
  spacePermissions,
  strangerPermissions,
  timestamp,
} from '@octavo/schema';
import type { Urls } from './respond.ts';

/** How much of a user is shown: guests are not shown the addresses of others. */
interface UserView {
  /** Left out: true. */
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
  joinedAt: timestamp(member.joinedAt),
  ...(member.lastSeenAt === null ? {} : { lastSeenAt: timestamp(member.lastSeenAt) }),
  sso: member.sso,
  spaces: member.spaces,
  teams: member.teams,
  sites: 0,
});

/** An organization as one of its members sees it; an installation there, as a stranger does. */
export const presentOrganization = (record: OrganizationRecord, membership: Membership, urls: Urls): Organization =>
  membership.isInstallation ? presentToStranger(record, [], urls) : presentToMember(record, membership, urls);

const presentToMember = (record: OrganizationRecord, membership: Membership, urls: Urls): Organization => ({
  ...presentPublicFields(record, urls),
  ...(record.hostname === null ? {} : { hostname: record.hostname }),
  defaultRole: record.defaultRole,
  ...(record.defaultContent === null ? {} : { defaultContent: record.defaultContent }),
  ai: record.ai,
  mergeRules: record.mergeRules ?? { type: 'none' },
  permissions: organizationPermissions(membership.role, membership.ownsTeam),
});

/** What those learn of an organization who are no members, with the e-mail domains of it that they know. */
export const presentToStranger = (record: OrganizationRecord, emailDomains: string[], urls: Urls): Organization => ({
  ...presentPublicFields(record, urls),
  emailDomains,
  mergeRules: { type: 'none' },
  permissions: strangerPermissions,
});

/** Self-hosted has no plans: those fields are there for clients. */
function presentPublicFields(record: OrganizationRecord, urls: Urls): Omit<Organization, 'permissions'> {
  const path = `/orgs/${record.id}`;
  return {
    object: 'organization',
    id: record.id,
    title: record.title,
    createdAt: timestamp(record.createdAt),
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

/** A collection as the member sees it whose role its record carries. */
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
    permissions: collectionPermissions(role, onTheWay),
  };
}

/** A space as the caller with that effective role sees it. */
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
    createdAt: timestamp(space.createdAt),
    updatedAt: timestamp(space.updatedAt),
    ...(space.deletedAt === null ? {} : { deletedAt: timestamp(space.deletedAt) }),
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
    permissions: spacePermissions(role, space.deletedAt !== null),
  };
}

/** Where the space is published; everybody may know an address that is public. */
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
 * A space as a visitor of a site sees it: nothing of what members do there. Its record has its place in that site; what
 * is open to who holds a key has that in its address.
 */
export function presentToVisitor(space: SpaceRecord, urls: Urls, shareKey: string | undefined): Space {
  const presented = presentSpace({ ...space, parent: null }, 'read', urls);
  return {
    ...presented,
    urls: { ...presented.urls, ...toPublishedUrls(space.publishedAt, urls, shareKey) },
    defaultLevel: null,
    mergeRules: { type: 'inherit' },
    ...{ comments: 0, changeRequests: 0, changeRequestsOpen: 0, changeRequestsDraft: 0 },
    permissions: { ...presented.permissions, access: false },
  };
}

/** A change request as clients see it: what the branch says (base, head, outdated) is derived, never stored twice. */
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
    createdAt: timestamp(record.createdAt),
    updatedAt: timestamp(record.updatedAt),
    revision: record.head.id,
    revisionInitial: record.revisionInitial,
    ...(record.base.id === record.revisionInitial ? {} : { revisionMergedAncestor: record.base.id }),
    ...(merged === null
      ? {}
      : {
          revisionMerged: merged.revision,
          mergedBy: presentUser(merged.by, urls, view),
          mergedAt: timestamp(merged.at),
        }),
    comments: record.comments,
    outdated: merged === null && record.mainSeq > record.base.seq,
    urls: { app: urls.app(path), location: urls.location(path) },
  };
}

/** Self-hosted has no plans: every site has all that the product has. */
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

/** What is shown of a site to who does not see all of it. */
interface SiteView {
  /** How many site spaces are shown; left out: all. */
  siteSpaces?: number;
  /** Stands in addresses of a site that is open to those who hold one. */
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
    createdAt: timestamp(site.createdAt),
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

/** The key that addresses of a site have, where it asks for one. */
export const getShareKey = ({ visibility }: SiteRecord, shareKey: string | undefined): string | undefined =>
  visibility === 'share-link' ? shareKey : undefined;

import type {
  ChangeRequestId,
  NotificationDelivery,
  NotificationKind,
  OrganizationId,
  Role,
  SpaceId,
  TeamId,
  TranslationLanguage,
  UserId,
} from '@octavo/schema';
import {
  DefaultContent,
  MergeRules,
  OrganizationDomains,
  Scopes,
  SignInProfile,
  SynonymGroups,
  TranslationInstructions,
} from '@octavo/schema';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { storedJson } from '../selection.ts';

export const users = sqliteTable('users', {
  id: text('id').$type<UserId>().primaryKey(),
  email: text('email').notNull(),
  displayName: text('display_name').notNull(),
  photoUrl: text('photo_url'),
  createdAt: integer('created_at').notNull(),
  kind: text('kind').$type<'person' | 'service' | 'integration' | 'installation'>().notNull().default('person'),
  emailVerifiedAt: integer('email_verified_at'),
  /** The organization of a service account; null for a person and for a removed account. */
  serviceOf: text('service_of'),
  /** The integration whose title is the name of this account. Set only for the account of an existing installation. */
  integration: text('integration'),
});

export const tokens = sqliteTable('tokens', {
  id: text('id').primaryKey(),
  user: text('user').$type<UserId>().notNull(),
  label: text('label').notNull(),
  hash: text('hash').notNull(),
  scopes: storedJson('scopes', Scopes),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at'),
  /** The organization that the token is bound to; null for a token that is valid in all organizations of its user. */
  organization: text('organization').$type<OrganizationId>(),
  lastUsedAt: integer('last_used_at'),
  /** The name of the integration that the token belongs to; null for a user's own token. */
  integration: text('integration'),
  /** The installation of that integration that the token belongs to. */
  installation: text('installation'),
  /** The number of script runs that led to the requests that use this token. */
  depth: integer('depth').notNull().default(0),
  /** The id of the browser session, which is the id of its first token; null for an API token. */
  session: text('session'),
  /** The time at which the session ends even if it is used. */
  endsAt: integer('ends_at'),
  /** The API token that started the session. */
  parent: text('parent'),
});

export const organizations = sqliteTable('organizations', {
  id: text('id').$type<OrganizationId>().primaryKey(),
  title: text('title').notNull(),
  createdAt: integer('created_at').notNull(),
  emailDomains: storedJson('email_domains', OrganizationDomains).notNull().default([]),
  hostname: text('hostname'),
  type: text('type').$type<'business' | 'community'>().notNull().default('business'),
  defaultRole: text('default_role').$type<Role>(),
  inviteLinks: integer('invite_links', { mode: 'boolean' }).notNull().default(true),
  sso: integer('sso', { mode: 'boolean' }).notNull().default(false),
  ai: integer('ai', { mode: 'boolean' }).notNull().default(false),
  logo: text('logo'),
  defaultContent: storedJson('default_content', DefaultContent),
  mergeRules: storedJson('merge_rules', MergeRules),
  /** Incremented when a change can affect visitors of all sites of the organization. */
  shown: integer('shown').notNull().default(0),
  /** The groups of synonyms that searches use; null if the organization has not set any. */
  searchSynonyms: storedJson('search_synonyms', SynonymGroups),
});

export const members = sqliteTable(
  'members',
  {
    organization: text('organization').$type<OrganizationId>().notNull(),
    user: text('user').$type<UserId>().notNull(),
    role: text('role').$type<Role>(),
    disabled: integer('disabled', { mode: 'boolean' }).notNull().default(false),
    sso: integer('sso', { mode: 'boolean' }).notNull().default(false),
    joinedAt: integer('joined_at').notNull(),
    lastSeenAt: integer('last_seen_at'),
    teams: integer('teams').notNull().default(0),
    spaces: integer('spaces').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.organization, table.user] })],
);

export const teams = sqliteTable('teams', {
  id: text('id').$type<TeamId>().primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  title: text('title').notNull(),
  createdAt: integer('created_at').notNull(),
  members: integer('members').notNull().default(0),
  spaces: integer('spaces').notNull().default(0),
});

export const teamMembers = sqliteTable(
  'team_members',
  {
    team: text('team').$type<TeamId>().notNull(),
    user: text('user').$type<UserId>().notNull(),
    organization: text('organization').$type<OrganizationId>().notNull(),
    role: text('role').$type<'owner' | 'member'>().notNull().default('member'),
    joinedAt: integer('joined_at').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.team, table.user] })],
);

/** Direct grants on a space or collection. `subject` is the id of a user or a team; a null role denies access. */
export const grants = sqliteTable(
  'grants',
  {
    object: text('object').notNull(),
    subject: text('subject').notNull(),
    organization: text('organization').$type<OrganizationId>().notNull(),
    role: text('role').$type<Role>(),
    createdAt: integer('created_at').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.object, table.subject] })],
);

/** An index of `organizations.email_domains`, maintained by triggers. */
export const organizationDomains = sqliteTable(
  'organization_domains',
  {
    domain: text('domain').notNull(),
    organization: text('organization').$type<OrganizationId>().notNull(),
    /** The creation time of the organization. */
    createdAt: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.domain, table.organization] })],
);

/**
 * Invite links. With an `object`, they grant a level on that space or collection, otherwise a role in the organization.
 */
export const invites = sqliteTable('invites', {
  id: text('id').primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  object: text('object'),
  role: text('role').$type<Role>(),
  createdBy: text('created_by').$type<UserId>().notNull(),
  createdAt: integer('created_at').notNull(),
});

export const signInLinks = sqliteTable('sign_in_links', {
  hash: text('hash').primaryKey(),
  user: text('user').$type<UserId>().notNull(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
});

/** Links by which existing users sign in. A link is stored for each requested email address, even if no user has it. */
export const loginLinks = sqliteTable('login_links', {
  id: text('id').primaryKey(),
  email: text('email').notNull(),
  destination: text('destination').notNull(),
  hash: text('hash'),
  user: text('user').$type<UserId>(),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
});

export const mails = sqliteTable('mails', {
  id: text('id').primaryKey(),
  user: text('user').$type<UserId>().notNull(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  createdAt: integer('created_at').notNull(),
});

export const samlProviders = sqliteTable('saml_providers', {
  id: text('id').primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  label: text('label').notNull(),
  ssoUrl: text('sso_url').notNull().default(''),
  entityId: text('entity_id').notNull().default(''),
  certificate: text('certificate').notNull().default(''),
  defaultTeam: text('default_team'),
  defaultRole: text('default_role').$type<Role>(),
  createdAt: integer('created_at').notNull(),
});

export const samlRequests = sqliteTable('saml_requests', {
  id: text('id').primaryKey(),
  provider: text('provider').notNull(),
  browser: text('browser').notNull(),
  expiresAt: integer('expires_at').notNull(),
  code: text('code'),
  profile: storedJson('profile', SignInProfile),
  destination: text('destination'),
});

export const ssoIdentities = sqliteTable(
  'sso_identities',
  {
    provider: text('provider').notNull(),
    subject: text('subject').notNull(),
    organization: text('organization').$type<OrganizationId>().notNull(),
    user: text('user').$type<UserId>().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.provider, table.subject] })],
);

export const installationKeys = sqliteTable('installation_keys', {
  name: text('name').primaryKey(),
  secret: text('secret').notNull(),
});

export const translationSettings = sqliteTable('translation_settings', {
  id: text('id').primaryKey(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  title: text('title').notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

export const translationLanguages = sqliteTable(
  'translation_languages',
  {
    settings: text('settings').notNull(),
    language: text('language').$type<TranslationLanguage>().notNull(),
    instructions: storedJson('instructions', TranslationInstructions).notNull(),
  },
  (table) => [primaryKey({ columns: [table.settings, table.language] })],
);

/** Notifications of users. The id is the same for all users who are notified of one event, and sorts by time. */
export const notifications = sqliteTable(
  'notifications',
  {
    user: text('user').$type<UserId>().notNull(),
    id: text('id').notNull(),
    kind: text('kind').$type<NotificationKind>().notNull(),
    organization: text('organization').$type<OrganizationId>().notNull(),
    space: text('space').$type<SpaceId>().notNull(),
    changeRequest: text('change_request').$type<ChangeRequestId>(),
    comment: text('comment'),
    reply: text('reply'),
    /** The user who caused the notification. */
    actor: text('actor').$type<UserId>().notNull(),
    createdAt: integer('created_at').notNull(),
    readAt: integer('read_at'),
    /** The time after which the notification is sent by mail; null if it was already sent or is not sent by mail. */
    mailAt: integer('mail_at'),
  },
  (table) => [primaryKey({ columns: [table.user, table.id] })],
);

/** The preferences of users for kinds of notifications, if they differ from the default of the kind. */
export const notificationPreferences = sqliteTable(
  'notification_preferences',
  {
    user: text('user').$type<UserId>().notNull(),
    kind: text('kind').$type<NotificationKind>().notNull(),
    delivery: text('delivery').$type<NotificationDelivery>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.user, table.kind] })],
);

/** The last mail with notifications to each user. */
export const notificationMails = sqliteTable('notification_mails', {
  user: text('user').$type<UserId>().primaryKey(),
  sentAt: integer('sent_at').notNull(),
});

import type { Role, Scope } from '@octavo/schema';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const users = sqliteTable('users', {
  id: text('id').primaryKey(),
  email: text('email').notNull(),
  displayName: text('display_name').notNull(),
  photoUrl: text('photo_url'),
  createdAt: integer('created_at').notNull(),
});

export const tokens = sqliteTable('tokens', {
  id: text('id').primaryKey(),
  user: text('user').notNull(),
  label: text('label').notNull(),
  hash: text('hash').notNull(),
  scopes: text('scopes', { mode: 'json' }).$type<Scope[]>(),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at'),
});

export const organizations = sqliteTable('organizations', {
  id: text('id').primaryKey(),
  title: text('title').notNull(),
  createdAt: integer('created_at').notNull(),
  emailDomains: text('email_domains', { mode: 'json' }).$type<string[]>().notNull().default([]),
  hostname: text('hostname'),
  type: text('type').$type<'business' | 'community'>().notNull().default('business'),
  defaultRole: text('default_role').$type<Role>(),
  inviteLinks: integer('invite_links', { mode: 'boolean' }).notNull().default(true),
  sso: integer('sso', { mode: 'boolean' }).notNull().default(false),
  ai: integer('ai', { mode: 'boolean' }).notNull().default(false),
  logo: text('logo'),
  defaultContent: text('default_content'),
});

export const members = sqliteTable(
  'members',
  {
    organization: text('organization').notNull(),
    user: text('user').notNull(),
    role: text('role').$type<Role>(),
    disabled: integer('disabled', { mode: 'boolean' }).notNull().default(false),
    sso: integer('sso', { mode: 'boolean' }).notNull().default(false),
    joinedAt: integer('joined_at').notNull(),
    lastSeenAt: integer('last_seen_at'),
  },
  (table) => [primaryKey({ columns: [table.organization, table.user] })],
);

export const teams = sqliteTable('teams', {
  id: text('id').primaryKey(),
  organization: text('organization').notNull(),
  title: text('title').notNull(),
  createdAt: integer('created_at').notNull(),
});

export const teamMembers = sqliteTable(
  'team_members',
  {
    team: text('team').notNull(),
    user: text('user').notNull(),
    organization: text('organization').notNull(),
    role: text('role').$type<'owner' | 'member'>().notNull().default('member'),
  },
  (table) => [primaryKey({ columns: [table.team, table.user] })],
);

/** A direct grant on a space or collection; `subject` is a user's or a team's id, a null role denies access. */
export const grants = sqliteTable(
  'grants',
  {
    object: text('object').notNull(),
    subject: text('subject').notNull(),
    organization: text('organization').notNull(),
    role: text('role').$type<Role>(),
  },
  (table) => [primaryKey({ columns: [table.object, table.subject] })],
);

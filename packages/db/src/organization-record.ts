import type { MergeRules, Role } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { Row } from './row.ts';
import { number, optionalJson, optionalText, text } from './row.ts';

/** An organization as queries that join it give it. */
export interface OrganizationRecord {
  id: string;
  title: string;
  createdAt: number;
  emailDomains: string[];
  hostname: string | null;
  type: 'business' | 'community';
  defaultRole: Role | null;
  inviteLinks: boolean;
  sso: boolean;
  ai: boolean;
  logo: string | null;
  defaultContent: { type: 'site'; site: string } | null;
  /** Null where it has none. */
  mergeRules: MergeRules | null;
}

/** Of `organizations o`. */
export const organizationColumns = sql.raw(
  [
    'id',
    'title',
    'created_at',
    'email_domains',
    'hostname',
    'type',
    'default_role',
    'invite_links',
    'sso',
    'ai',
    'logo',
    'default_content',
    'merge_rules',
  ]
    .map((column) => `o.${column} AS organization_${column}`)
    .join(', '),
);

export const readOrganization = (row: Row): OrganizationRecord => ({
  id: text(row, 'organization_id'),
  title: text(row, 'organization_title'),
  createdAt: number(row, 'organization_created_at'),
  emailDomains: JSON.parse(text(row, 'organization_email_domains')) as string[],
  hostname: optionalText(row, 'organization_hostname'),
  type: text(row, 'organization_type') as OrganizationRecord['type'],
  defaultRole: optionalText(row, 'organization_default_role') as Role | null,
  inviteLinks: row.organization_invite_links === 1,
  sso: row.organization_sso === 1,
  ai: row.organization_ai === 1,
  logo: optionalText(row, 'organization_logo'),
  defaultContent: optionalJson(row, 'organization_default_content'),
  mergeRules: optionalJson(row, 'organization_merge_rules'),
});

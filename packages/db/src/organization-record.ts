import { aliasedTable } from 'drizzle-orm';
import type { RecordOf } from './fields.ts';
import { organizations } from './org-admin.ts';
import { selection } from './selection.ts';

const o = aliasedTable(organizations, 'o');

/** Of `organizations o`. */
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

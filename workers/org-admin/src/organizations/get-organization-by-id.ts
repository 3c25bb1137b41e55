import type { Handler } from '@octavo/runtime';
import { presentOrganization } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';

export const getOrganizationById: Handler<typeof orgAdmin.getOrganizationById, OrgAdminEnvironment> = (
  _,
  { organization, membership, urls },
) => presentOrganization(organization, membership, urls);

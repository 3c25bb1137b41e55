import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { presentOrganization } from './present-organization.ts';

export const getOrganizationById: Handler<typeof orgAdmin.getOrganizationById, OrgAdminEnvironment> = (
  _,
  { organization, membership, urls },
) => presentOrganization(organization, membership, urls);

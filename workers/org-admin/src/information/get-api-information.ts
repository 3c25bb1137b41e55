import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { apiVersion } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';

export const getApiInformation: Handler<typeof orgAdmin.getApiInformation, OrgAdminEnvironment> = (_, { env }) => ({
  version: apiVersion,
  build: env.OCTAVO_BUILD ?? 'unnamed',
});

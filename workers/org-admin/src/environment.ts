import type { Environment } from '@octavo/runtime';

export type OrgAdminEnvironment = Environment;

import type { Page } from '@octavo/runtime';
import type { OrgAdminEnvironment } from '../environment.ts';

export const ssoPages: Page<OrgAdminEnvironment>[] = [];

import { collaboration } from './collaboration/index.ts';
import { content } from './content/index.ts';
import { gateway } from './gateway/index.ts';
import { integrations } from './integrations/index.ts';
import { orgAdmin } from './org-admin/index.ts';
import { publishing } from './publishing/index.ts';

export * from './audited.ts';
export * from './collaboration/index.ts';
export * from './content/index.ts';
export * from './content-policy.ts';
export * from './directory-keys.ts';
export * from './email.ts';
export * from './emoji.ts';
export * from './endpoint.ts';
export * from './errors.ts';
export * from './events.ts';
export * from './gateway/index.ts';
export * from './ids.ts';
export * from './installation-access.ts';
export * from './integrations/index.ts';
export * from './invalidated-sites.ts';
export * from './jobs.ts';
export * from './list.ts';
export * from './live-events.ts';
export * from './nearest.ts';
export * from './operator-calls.ts';
export * from './org-admin/index.ts';
export * from './publishing/index.ts';
export * from './rate-limits.ts';
export * from './render/service.ts';
export * from './rights.ts';
export * from './roles.ts';
export * from './scopes.ts';
export * from './service.ts';
export * from './stored.ts';
export * from './text.ts';
export * from './time.ts';
export * from './unknown-fields.ts';
export * from './user.ts';
export * from './validate.ts';
export * from './web-address.ts';
export { toWebOrigin, type WebOrigin } from './web-origin.ts';
export * from './wiring.ts';

type Contracts = {
  gateway: typeof gateway;
  content: typeof content;
  collaboration: typeof collaboration;
  'org-admin': typeof orgAdmin;
  publishing: typeof publishing;
  integrations: typeof integrations;
};

/** The contract of each worker, by its name. */
export const contracts: Contracts = {
  gateway,
  content,
  collaboration,
  'org-admin': orgAdmin,
  publishing,
  integrations,
};

export type Domain = keyof Contracts;

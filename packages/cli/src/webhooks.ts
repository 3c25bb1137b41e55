import { paginate } from '@octavo/client';
import type { Webhook } from '@octavo/schema';
import type { Api } from './api.ts';
import { Failure } from './failure.ts';
import { collect, listOrganizations } from './spaces.ts';

const limit = '100';

/** How many attempts, in words. */
export const attemptsOf = (count: number): string => `${count} ${count === 1 ? 'attempt' : 'attempts'}`;

/** The webhooks of an organization. */
export const listWebhooks = (api: Api, organizationId: string): Promise<Webhook[]> =>
  collect(paginate((page) => api.listWebhooks({ params: { organizationId }, query: { limit, page } })));

/** The organizations whose webhooks the caller may see: the named one, or those that they are an admin of. */
export async function organizationsOf(api: Api, named: string | undefined): Promise<string[]> {
  if (named !== undefined) return [named];
  return (await listOrganizations(api)).filter(({ permissions }) => permissions.admin).map(({ id }) => id);
}

/** Where a webhook is, by its id or its address alone. @throws Failure */
export async function findWebhook(api: Api, wanted: string, named: string | undefined) {
  const found: { organizationId: string; webhookId: string }[] = [];
  for (const organizationId of await organizationsOf(api, named))
    for (const { id, url } of await listWebhooks(api, organizationId))
      if (id === wanted || url === wanted) found.push({ organizationId, webhookId: id });
  const [first, ...others] = found;
  if (first === undefined)
    throw new Failure(`There is no webhook ${wanted} in the organizations that you are an admin of.`);
  if (others.length === 0) return first;
  const ids = found.map(({ webhookId }) => webhookId).join(', ');
  throw new Failure(`More than one webhook has the address ${wanted}: name one by its id, of ${ids}.`);
}

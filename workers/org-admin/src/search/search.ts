import type { Metered, Role } from '@octavo/schema';
import { handler } from '../handler.ts';

export const searchOrganizationContent = handler(
  'searchOrganizationContent',
  async ({ query }, { env, callWorker, organization, membership: { role }, caller }) => {
    const search = { ...caller, organization: organization.id, role, ...query };
    return callWorker((bookmark) =>
      env.CONTENT.searchOrganization(search, bookmark).then((results) => hideCost(results, role)),
    );
  },
);

export const suggestOrganizationContent = handler(
  'suggestOrganizationContent',
  async ({ query }, { env, callWorker, organization, membership: { role }, caller }) => {
    const search = { ...caller, organization: organization.id, role, ...query };
    return callWorker((bookmark) =>
      env.CONTENT.suggestInOrganization(search, bookmark).then((results) => hideCost(results, role)),
    );
  },
);

/**
 * The number of rows read reveals whether hidden pages contain the words, so only admins, who see everything, get it.
 */
const hideCost = <Value>(results: Metered<Value>, role: Role | null): Metered<Value> =>
  role === 'admin' ? results : { ...results, cost: { ...results.cost, rowsRead: 0, rowsWritten: 0 } };

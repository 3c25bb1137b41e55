import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { Organization } from './organizations.ts';

const EmailDomain = z
  .string()
  .max(253)
  .regex(/^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z]{2,63}$/, 'must be a domain name')
  .toLowerCase();

/** Those who are no members see what joining or signing in takes: nothing of the settings, and of the domains this one. */
export const emailDomainEndpoints = contract({
  getOrganizationsForEmailDomain: {
    method: 'GET',
    path: '/v1/email-domains/:emailDomain/orgs',
    summary: 'Find the organizations that an e-mail domain belongs to',
    access: 'user',
    scope: 'unscoped',
    params: z.object({ emailDomain: EmailDomain }),
    response: z.object({ organizations: z.array(Organization) }),
    success: 200,
  },
});

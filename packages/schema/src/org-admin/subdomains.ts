import * as z from 'zod';
import { contract } from '../endpoint.ts';

const Name = z.string().regex(/^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$/);

export const Subdomain = z
  .object({
    object: z.literal('subdomain'),
    subdomain: z.string(),
    target: z.object({ type: z.literal('organization'), organization: z.string() }),
    isActive: z.boolean().meta({ description: 'Whether the organization has a published site.' }),
  })
  .meta({ id: 'Subdomain' });
export type Subdomain = z.infer<typeof Subdomain>;

export const subdomainEndpoints = contract({
  getSubdomain: {
    method: 'GET',
    path: '/v1/subdomains/:subdomain',
    summary: 'Find the organization whose hostname this is',
    access: 'user',
    scope: 'unscoped',
    params: z.object({ subdomain: Name }),
    response: Subdomain,
    success: 200,
    errors: ['not_found'],
  },
});

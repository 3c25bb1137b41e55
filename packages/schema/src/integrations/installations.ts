import * as z from 'zod';
import { contract } from '../endpoint.ts';
import { list, PageQuery } from '../list.ts';
import { Timestamp } from '../time.ts';
import { IntegrationName } from './integration.ts';

export const InstallationStatus = z.enum(['active', 'pending', 'paused']).meta({ id: 'InstallationStatus' });
export type InstallationStatus = z.infer<typeof InstallationStatus>;

const Selection = z.enum(['all', 'selected']);
const ExternalId = z.string().max(256);

/** An integration as it is installed in an organization. It alone has no `object` field (resolved.md, row 192). */
export const IntegrationInstallation = z
  .object({
    id: z.string(),
    status: InstallationStatus,
    space_selection: Selection,
    site_selection: Selection,
    spaces: z.number().int(),
    configuration: z.record(z.string(), z.unknown()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    urls: z.object({ location: z.string(), app: z.string(), publicEndpoint: z.string() }),
    externalIds: z.array(ExternalId).max(5),
    target: z.object({ organization: z.string() }),
  })
  .meta({ id: 'IntegrationInstallation' });
export type IntegrationInstallation = z.infer<typeof IntegrationInstallation>;

export const installationEndpoints = contract({
  listIntegrationInstallations: {
    method: 'GET',
    path: '/v1/integrations/:integrationName/installations',
    summary: 'List where an integration is installed',
    access: { integration: 'admin' },
    scope: 'unscoped',
    params: z.object({ integrationName: IntegrationName }),
    query: PageQuery.extend({ externalId: ExternalId.optional() }),
    response: list(IntegrationInstallation),
    success: 200,
  },
});

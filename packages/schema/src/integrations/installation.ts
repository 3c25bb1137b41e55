import * as z from 'zod';
import { Timestamp } from '../time.ts';
import { IntegrationScope } from './integration-scope.ts';

export const InstallationStatus = z.enum(['active', 'pending', 'paused']).meta({ id: 'InstallationStatus' });
export type InstallationStatus = z.infer<typeof InstallationStatus>;

/** Which spaces or sites of its organization an installation reaches: every one, or those that it is installed on. */
export const InstallationSelection = z.enum(['all', 'selected']).meta({ id: 'InstallationSelection' });
export type InstallationSelection = z.infer<typeof InstallationSelection>;

export const ExternalId = z.string().min(1).max(256);

/** What an integration knows an installation by. */
export const ExternalIds = z
  .array(ExternalId)
  .max(5)
  .refine((ids) => new Set(ids).size === ids.length, 'must not name an id twice')
  .meta({ id: 'ExternalIds' });

const maxConfigurationBytes = 64 * 1024;
const maxConfigurationDepth = 10;

/** How many objects and arrays stand in each other; it looks no deeper than to the first that is too deep. */
function isTooDeep(value: unknown, left = maxConfigurationDepth): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return left === 0 || Object.values(value).some((each) => isTooDeep(each, left - 1));
}

/** What an installation is set up with, by the names of the properties that its integration asks for. */
export const InstallationConfiguration = z
  .record(z.string().min(1).max(100), z.unknown())
  .refine((value) => !isTooDeep(value), `must be nested at most ${maxConfigurationDepth} deep`)
  .refine(
    (value) => new TextEncoder().encode(JSON.stringify(value)).length <= maxConfigurationBytes,
    `must have at most ${maxConfigurationBytes} bytes`,
  )
  .meta({ id: 'InstallationConfiguration' });
export type InstallationConfiguration = z.infer<typeof InstallationConfiguration>;

const PublicEndpoints = { publicEndpoint: z.string(), publicContentEndpoint: z.string() };

/** An integration as it is installed in an organization. It alone has no `object` field (resolved.md, row 192). */
export const IntegrationInstallation = z
  .object({
    id: z.string(),
    status: InstallationStatus,
    scopes: z.array(IntegrationScope).meta({
      description: 'Our extension: the scopes by which it may do anything, of those that the organization agreed to.',
    }),
    requestedScopes: z.array(IntegrationScope).meta({
      description:
        'Our extension: what the integration asks for by now beyond what was agreed to. It counts for nothing yet.',
    }),
    space_selection: InstallationSelection,
    site_selection: InstallationSelection,
    spaces: z.number().int(),
    configuration: z.record(z.string(), z.unknown()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    urls: z.object({ location: z.string(), app: z.string(), ...PublicEndpoints }),
    externalIds: z.array(z.string()),
    target: z.object({ organization: z.string() }),
  })
  .meta({ id: 'IntegrationInstallation' });
export type IntegrationInstallation = z.infer<typeof IntegrationInstallation>;

/** What installations on spaces and on sites both have. */
export const ContentInstallation = z.object({
  integration: z.string(),
  installation: z.string(),
  status: InstallationStatus,
  configuration: z.record(z.string(), z.unknown()),
  externalIds: z.array(z.string()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  urls: z.object({ location: z.string(), ...PublicEndpoints }),
});

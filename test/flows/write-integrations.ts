import { createMinimalBody, createUniqueName } from '../integrations/registry/registry-client.ts';
import { json } from '../support/content.ts';
import type { TestOrganization } from '../support/platform.ts';
import type { Writer } from './walk-beyond.ts';

/** Calls all write operations of integrations. */
export async function callIntegrationWrites(writer: Writer, organization: TestOrganization): Promise<void> {
  const place = { integrationName: createUniqueName() };
  await writer.send('publishIntegration', place, { body: createMinimalBody(organization) });
  await writeInstallations(writer, organization, place);
  await writer.send('queueIntegrationTask', place, { body: { task: {}, schedule: 3600 } });
  await writer.send('setIntegrationDevelopmentMode', place, { body: { tunnelUrl: 'http://127.0.0.1:9/' } });
  await writer.send('disableIntegrationDevelopmentMode', place);
  await writer.send('unpublishIntegration', place);
}

/** Calls all write operations of installations, including those for spaces and sites. */
async function writeInstallations(
  writer: Writer,
  { id: organization, token }: TestOrganization,
  place: { integrationName: string },
): Promise<void> {
  const make = (what: string) => json<{ id: string }>(`/v1/orgs/${organization}/${what}`, { token, body: {} });
  const [space, site] = [await make('spaces'), await make('sites')];
  const path = `/v1/integrations/${place.integrationName}/installations`;
  await writer.send('installIntegration', place, { body: { organization } });
  const { items } = await json<{ items: { id: string }[] }>(path, { token });
  const installed = { ...place, installationId: items[0]?.id ?? '' };
  await writer.send('updateIntegrationInstallation', installed, { body: { externalIds: ['a'] } });
  await writer.send('installIntegrationOnSpace', installed, { body: { space: space.id } });
  await writer.send('installIntegrationOnSite', installed, { body: { siteId: site.id } });
  const on = { ...installed, spaceId: space.id, siteId: site.id };
  await writer.send('updateIntegrationSpaceInstallation', on, { body: { externalIds: ['a'] } });
  await writer.send('updateIntegrationSiteInstallation', on, { body: { externalIds: ['a'] } });
  await writer.send('uninstallIntegrationFromSpace', on);
  await writer.send('uninstallIntegrationFromSite', on);
  await writer.send('uninstallIntegration', installed);
}

import { randomUUID } from 'node:crypto';
import * as usual from '@gitbook/api';
import * as newest from 'gitbook-api-202';
import { describe, expect, test } from 'vitest';
import { openSite } from '../publishing/audiences/open-site.ts';
import { platform } from '../support/platform.ts';
import { readComplete } from './rendered-site.ts';

type Client = newest.GitBookAPI;

/** A script that returns its tokens for requests and renders a component. */
const script = `export default {
  async fetch(request) {
    const form = await request.formData();
    const [event, environment] = ['event', 'environment'].map((name) => JSON.parse(form.get(name)));
    console.log(event.type);
    if (event.type === 'fetch') return Response.json(environment.apiTokens);
    if (event.type !== 'ui_render') return new Response(null, { status: 406 });
    return Response.json({ type: 'element', props: {}, state: {}, element: { type: 'block', children: [] } });
  },
};`;

const property = { type: 'string', title: 'A name' } as const;
const configurations = { account: { properties: { name: property } }, space: { properties: { name: property } } };

/** Publishes and installs an integration. Returns API clients of an admin and of the integration. */
async function installForClients(version: { GitBookAPI: unknown }) {
  const GitBookAPI = version.GitBookAPI as typeof newest.GitBookAPI;
  const connect = (authToken: string): Client => new GitBookAPI({ endpoint: platform().url, authToken });
  const { organization, site, ids } = await openSite('public');
  const user = connect(organization.token);
  const name = `walk-${randomUUID().slice(0, 8)}`;
  const scopes = ['space:content:read', 'site:script:inject'] as newest.IntegrationScope[];
  const published = await readComplete(
    'publishIntegration',
    user.integrations.publishIntegration(name, {
      ...{ title: 'A walk', description: 'Of a client', organization: organization.id, script, scopes },
      ...{ configurations: { ...configurations, site: configurations.space }, blocks: [{ id: 'box', title: 'A box' }] },
    }),
  );
  const installed = await readComplete(
    'installIntegration',
    user.integrations.installIntegration(name, { organization: organization.id }),
  );
  const tokens = (await (await fetch(installed.urls.publicEndpoint)).json()) as { integration: string };
  return {
    ...{ user, name, published, installation: installed.id, organization: organization.id },
    ...{ site, space: ids.spaceId ?? '', itself: connect(tokens.integration) },
  };
}

describe.each([
  ['0.130.0', usual],
  ['0.202.0', newest],
])('a client of version %s', (_, version) => {
  test('publishes, lists and unpublishes an integration', async () => {
    const { user, name, published, organization } = await installForClients(version);
    const got = await readComplete('getIntegrationByName', user.integrations.getIntegrationByName(name));
    expect(got).toEqual(published);
    const listed = await readComplete('listIntegrations', user.integrations.listIntegrations({ owner: organization }));
    expect(listed.items.map((each) => each.name)).toEqual([name]);
    await readComplete('listOrganizationIntegrations', user.orgs.listOrganizationIntegrations(organization));
    expect((await user.integrations.unpublishIntegration(name)).status).toBe(204);
  });

  test('installs an integration on an organization, a space and a site, configures it, and uninstalls it', async () => {
    const { user, itself, name, installation, organization, space, site } = await installForClients(version);
    const { integrations, orgs, spaces } = user;
    const at = [name, installation] as const;
    const configuration = { name: 'x' };

    await readComplete('getIntegrationInstallationById', integrations.getIntegrationInstallationById(...at));
    const changed = await readComplete(
      'updateIntegrationInstallation',
      integrations.updateIntegrationInstallation(...at, { configuration, externalIds: ['one'] }),
    );
    expect(changed).toMatchObject({ configuration, externalIds: ['one'], status: 'active' });

    await readComplete('installIntegrationOnSpace', integrations.installIntegrationOnSpace(...at, { space }));
    await readComplete('getIntegrationSpaceInstallation', integrations.getIntegrationSpaceInstallation(...at, space));
    const onSpace = integrations.updateIntegrationSpaceInstallation(...at, space, { configuration });
    expect(await readComplete('updateIntegrationSpaceInstallation', onSpace)).toMatchObject({ configuration });
    await readComplete('listIntegrationInstallationSpaces', integrations.listIntegrationInstallationSpaces(...at));

    await readComplete('installIntegrationOnSite', integrations.installIntegrationOnSite(...at, { siteId: site }));
    await readComplete('getIntegrationSiteInstallation', integrations.getIntegrationSiteInstallation(...at, site));
    const onSite = integrations.updateIntegrationSiteInstallation(...at, site, { configuration });
    expect(await readComplete('updateIntegrationSiteInstallation', onSite)).toMatchObject({ configuration });
    await readComplete('listIntegrationInstallationSites', integrations.listIntegrationInstallationSites(...at));
    const scripts = await readComplete(
      'listSiteIntegrationScripts',
      orgs.listSiteIntegrationScripts(organization, site),
    );
    expect(scripts).toHaveLength(1);

    await readComplete('listOrganizationInstallations', orgs.listOrganizationInstallations(organization));
    await readComplete('getOrganizationIntegrationStatus', orgs.getOrganizationIntegrationStatus(organization, name));
    await readComplete('listSpaceIntegrations', spaces.listSpaceIntegrations(space));
    await readComplete('listSpaceIntegrationsBlocks', spaces.listSpaceIntegrationsBlocks(space));
    await readComplete('listSiteIntegrations', orgs.listSiteIntegrations(organization, site));
    await readComplete('listIntegrationInstallations', itself.integrations.listIntegrationInstallations(name));
    await readComplete(
      'listIntegrationSpaceInstallations',
      itself.integrations.listIntegrationSpaceInstallations(name),
    );
    await readComplete('listIntegrationSiteInstallations', itself.integrations.listIntegrationSiteInstallations(name));

    expect((await integrations.uninstallIntegrationFromSpace(...at, space)).status).toBe(205);
    expect((await integrations.uninstallIntegrationFromSite(...at, site)).status).toBe(205);
    expect((await integrations.uninstallIntegration(...at)).status).toBe(205);
  });

  test("acts as the integration, renders a component, and reads the script's calls", async () => {
    const { user, itself, name, installation, organization } = await installForClients(version);
    const { integrations } = user;

    const { token } = await readComplete(
      'createIntegrationInstallationToken',
      itself.integrations.createIntegrationInstallationToken(name, installation),
    );
    expect(token).toEqual(expect.any(String));
    expect((await itself.integrations.queueIntegrationTask(name, { task: { type: 'x' } })).status).toBe(204);
    const render = {
      componentId: 'box',
      props: {},
      context: { type: 'configuration_account', theme: 'light', organizationId: organization },
    };
    await readComplete(
      'renderIntegrationUIWithPost',
      integrations.renderIntegrationUiWithPost(name, render as unknown as newest.RenderIntegrationUI),
    );

    const events = await readComplete('listIntegrationEvents', integrations.listIntegrationEvents(name));
    const [event] = events.items;
    const got = await readComplete('getIntegrationEvent', integrations.getIntegrationEvent(name, event?.id ?? ''));
    expect(got).toMatchObject({ event, trace: { logs: [{ level: 'info', message: event?.payload.type }] } });

    const tunnelUrl = 'http://127.0.0.1:1';
    expect((await integrations.setIntegrationDevelopmentMode(name, { tunnelUrl })).status).toBe(204);
    expect((await integrations.disableIntegrationDevelopmentMode(name)).status).toBe(205);
  });
});

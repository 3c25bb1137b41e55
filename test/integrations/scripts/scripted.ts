import { randomUUID } from 'node:crypto';
import { json } from '../../support/content.ts';
import type { Server, TestOrganization } from '../../support/platform.ts';

export interface Published {
  name: string;
  owner: TestOrganization;
}

export interface Installed extends Published {
  id: string;
  publicEndpoint: string;
}

/** Publishes an integration with a script for a new organization. */
export async function publishScript(server: Server, script: string, more: object = {}): Promise<Published> {
  const owner = await server.makeOrganization();
  const name = `script-${randomUUID().slice(0, 8)}`;
  const settings = { title: 'Scripted', description: 'It has a script', organization: owner.id, script, ...more };
  await json(`/v1/integrations/${name}`, { token: owner.token, body: settings }, server);
  return { name, owner };
}

/** Publishes an integration with a script and installs it in its owner's organization. */
export async function installScript(server: Server, script: string, more: object = {}): Promise<Installed> {
  const published = await publishScript(server, script, more);
  const { name, owner } = published;
  const { id, urls } = await json<{ id: string; urls: { publicEndpoint: string } }>(
    `/v1/integrations/${name}/installations`,
    { token: owner.token, body: { organization: owner.id } },
    server,
  );
  return { ...published, id, publicEndpoint: urls.publicEndpoint };
}

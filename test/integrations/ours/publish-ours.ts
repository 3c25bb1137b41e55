import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { octavo, writeTree } from '../../cli/octavo.ts';
import { json } from '../../support/content.ts';
import { platform, type TestOrganization } from '../../support/platform.ts';

const root = path.resolve(import.meta.dirname, '../../../integrations');

/** Publishes one of our integrations with the CLI. The name is unique, because all tests share a platform. */
export async function publishOwnIntegration(which: string, organization: TestOrganization): Promise<string> {
  const name = `${which}-${randomUUID().slice(0, 8)}`;
  const text = await readFile(path.join(root, which, 'integration.yaml'), 'utf8');
  const manifest = text
    .replace(`name: ${which}\n`, `name: ${name}\n`)
    .replaceAll(': ./', `: ${path.join(root, which)}/`);
  const env = { OCTAVO_URL: platform().url, OCTAVO_TOKEN: organization.token };
  const folder = await writeTree({ 'integration.yaml': manifest });
  const { code, stderr } = await octavo(env, 'integration', 'publish', folder, '--organization', organization.id);
  if (code !== 0) throw new Error(stderr);
  return name;
}

/** Installs and configures the integration in the organization that published it. */
export async function installOwnIntegration(
  which: string,
  organization: TestOrganization,
  configuration: object,
): Promise<string> {
  const { id: body, token } = organization;
  const path = `/v1/integrations/${await publishOwnIntegration(which, organization)}/installations`;
  const { id } = await json<{ id: string }>(path, { token, body: { organization: body } });
  const { status } = await json<{ status: string }>(`${path}/${id}`, {
    token,
    method: 'PATCH',
    body: { configuration, space_selection: 'all' },
  });
  if (status !== 'active') throw new Error(`The installation is ${status}.`);
  return `${path}/${id}`;
}

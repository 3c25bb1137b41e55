import { json } from '../../support/content.ts';
import { getPath, install, installOn, makeIntegration } from '../../support/integrations.ts';
import { until } from '../../support/own-platform.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { getScript } from '../../support/script-host.ts';

interface Installed {
  scopes?: string[];
  events?: string[];
  webhook: string;
  spaceSelection?: 'all' | 'selected';
  isPending?: boolean;
}

/** A script that returns its signing secrets, because only the script of an integration can read them. */
const tellsSecrets = getScript(`
  if (event.type === 'fetch') return Response.json(environment.signingSecrets);
  return new Response(null, { status: 406 });`);

const needsKey = { account: { properties: { key: { type: 'string', title: 'A key' } }, required: ['key'] } };

/** Installs an integration with a webhook in an organization, and returns the webhook's signing secret. */
export async function installWithWebhook(organization: TestOrganization, options: Installed) {
  const { spaceSelection = 'all', isPending = false, ...described } = options;
  const integration = await makeIntegration(organization, {
    ...{ ...described, script: tellsSecrets, target: spaceSelection === 'all' ? 'organization' : 'all' },
    ...(isPending ? { configurations: needsKey } : {}),
  });
  const installation = await install(integration, organization);
  const path = getPath(integration, installation);
  const { installation: secret = '' } = await until(async () => {
    const response = await platform().request(path.replace('/v1', ''), {});
    return response.ok ? ((await response.json()) as { installation?: string }) : undefined;
  });
  return {
    ...{ installation: installation.id, name: integration.name, secret },
    putOn: (space: string) => installOn(path, organization, { space }),
    uninstall: () => platform().request(path, { token: organization.token, method: 'DELETE' }),
    update: (body: object) => json(path, { token: organization.token, method: 'PATCH', body }),
    publishAgain: (more: object) =>
      json(`/v1/integrations/${integration.name}`, {
        token: organization.token,
        body: {
          ...{ title: 'Again', description: 'For a test.', organization: organization.id, script: tellsSecrets },
          ...{ target: spaceSelection === 'all' ? 'organization' : 'all', scopes: [], ...more },
        },
      }),
  };
}

import { platform } from '../../support/platform.ts';

interface Script {
  fetch(request: Request, bindings: unknown, execution: { waitUntil(work: Promise<unknown>): void }): Promise<Response>;
}

interface Installed {
  /** A substitute for the installation's token. */
  token?: string;
  scopes?: string[];
  configuration?: object;
  siteConfiguration?: object;
}

/** Calls a script with a form, as the platform does, and returns its response. */
export async function callScript(script: Script, event: object, installed: Installed) {
  const { token, scopes = [], configuration = {}, siteConfiguration } = installed;
  const environment = {
    apiEndpoint: platform().url,
    apiTokens: { integration: 'none', installation: token ?? 'none' },
    integration: { name: 'ours', version: 1, scopes },
    installation: { configuration },
    ...(siteConfiguration && { siteInstallation: { configuration: siteConfiguration } }),
    secrets: {},
  };
  const form = new FormData();
  form.set('event', JSON.stringify({ eventId: 'evt_1', installationId: 'ins_1', ...event }));
  form.set('environment', JSON.stringify(environment));
  const request = new Request('http://script/v1', { method: 'POST', body: form });
  const response = await script.fetch(request, {}, { waitUntil: () => undefined });
  return { status: response.status, text: await response.text() };
}

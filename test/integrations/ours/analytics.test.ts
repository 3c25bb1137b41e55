import { expect, test } from 'vitest';
import { openSite } from '../../publishing/audiences/open-site.ts';
import { json } from '../../support/content.ts';
import { installOwnIntegration } from './publish-ours.ts';

interface SiteScripts {
  scripts: { script: string; contentSecurityPolicy?: string; cookies: boolean }[];
}

test("a site lists the script with its content security policy, and the script's URL returns code with the ID", async () => {
  const { organization, path, site } = await openSite('public');
  const { token } = organization;
  const installation = await installOwnIntegration('analytics', organization, {});
  const configuration = { script_url: 'https://stats.example/a.js', id: 'ID-1', cookies: true };
  await json(`${installation}/sites`, { token, body: { siteId: site } });
  await json(`${installation}/sites/${site}`, { token, method: 'PATCH', body: { configuration } });

  const scripts = await json<SiteScripts['scripts']>(`${path}/integration-scripts`, { token });
  expect(scripts).toEqual([
    { script: expect.any(String), cookies: true, contentSecurityPolicy: expect.stringContaining('script-src https:') },
  ]);
  const response = await fetch(scripts[0]?.script ?? '');
  expect(response.headers.get('content-type')).toMatch(/^text\/javascript/);
  const program = await response.text();
  expect(program).toContain('"https://stats.example/a.js"');
  expect(program).toContain('dataset.id = "ID-1"');
  expect(program).toContain('dataset.cookies = "allowed"');
});

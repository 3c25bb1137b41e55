import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json, makeChangeRequest, makePage } from '../support/content.ts';
import { platform, type TestOrganization, type TestSpace } from '../support/platform.ts';
import { checkScreen } from './checked-screen.ts';
import { openBrowser } from './open-browser.ts';
import { openSignedIn } from './signed-in-page.ts';

let browser: Browser;
let organization: TestOrganization;
let space: TestSpace;
let ids: Record<string, string>;

const source = readFileSync(new URL('../../packages/app/src/routes.ts', import.meta.url), 'utf8');
/** The routes of the app that name objects, such as `/spaces/:space`. */
const patterns = [...source.matchAll(/path: '(\/[^']*:[^']*)',\s+load:/g)].map(([, pattern = '']) => pattern);

/** If the change request does not have the page, the editor offers other change requests instead of "not found". */
const excluded = new Set(['/spaces/:space/change-requests/:changeRequest/edit/:page page']);

beforeAll(async () => {
  [browser, organization] = await Promise.all([openBrowser(), platform().makeOrganization('Acme')]);
  space = await platform().makeSpace({ organization, title: 'Handbook' });
  const { id, token } = space;
  const make = async (path: string, body: object) => (await json<{ id: string }>(`/v1${path}`, { token, body })).id;
  const page = await makePage(space, 'Install', 'Install it.');
  const changeRequest = (await makeChangeRequest(space)).id;
  ids = {
    ...{ organization: organization.id, space: id, page, changeRequest, revision: space.revision },
    comment: await make(`/spaces/${id}/comments`, { body: { markdown: 'A comment.' } }),
    site: await make(`/orgs/${organization.id}/sites`, { title: 'Handbook' }),
    provider: await make(`/orgs/${organization.id}/saml`, { label: 'Company' }),
  };
}, 120_000);

afterAll(() => browser?.close());

const getNames = (pattern: string): string[] => [...pattern.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

/** Returns the address of a route with existing objects, except for one. */
const createAddress = (pattern: string, unknown: string): string =>
  pattern.replace(/:(\w+)/g, (_, name: string) => (name === unknown ? 'unknown' : (ids[name] ?? '')));

test('each address of an unknown object shows that it was not found, with a way home', async () => {
  expect(patterns).toContain('/spaces/:space/content/page/:page');
  const { page } = await openSignedIn(browser, organization);
  const cases = patterns.flatMap((pattern) => getNames(pattern).map((name) => ({ pattern, name })));
  for (const { pattern, name } of cases.filter((each) => !excluded.has(`${each.pattern} ${each.name}`))) {
    await page.goto(`${platform().url}/app${createAddress(pattern, name)}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    const shown = {
      titles: await page.getByRole('heading', { level: 1 }).allTextContents(),
      homeLinks: await page.getByRole('main').getByRole('link', { name: 'Back to home' }).count(),
      // If the space does not exist, the app shows the navigation of the organization.
      hasPages: (await page.getByRole('navigation', { name: 'Space' }).count()) > 0,
      alerts: await page.getByRole('alert').allTextContents(),
    };
    expect([pattern, name, shown]).toEqual([
      ...[pattern, name],
      {
        titles: ['Page not found'],
        homeLinks: 1,
        hasPages: pattern.startsWith('/spaces/') && name !== 'space',
        alerts: [],
      },
    ]);
  }
  await checkScreen(page, 'not-found');
}, 300_000);

test('a deleted space shows that it was not found', async () => {
  const deleted = await platform().makeSpace({ organization, title: 'Deleted' });
  await makePage(deleted, 'Install', 'Install it.');
  await platform().request(`/v1/spaces/${deleted.id}`, { token: deleted.token, method: 'DELETE' });
  const { page } = await openSignedIn(browser, organization);
  await page.goto(`${platform().url}/app/spaces/${deleted.id}`);
  await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Back to home' }).click();

  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
});

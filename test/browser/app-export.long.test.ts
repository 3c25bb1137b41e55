import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unzipSync } from 'fflate';
import type { Browser, Download } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTemporaryFolder, octavo } from '../cli/octavo.ts';
import { createFiles, createPixel } from '../content/files/file-client.ts';
import { getClient } from '../content/space-client.ts';
import { edit, json, makePage } from '../support/content.ts';
import { platform } from '../support/platform.ts';
import { checkScreen } from './checked-screen.ts';
import { openBrowser } from './open-browser.ts';
import { openSignedIn } from './signed-in-page.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterAll(() => browser?.close());

const hashBytes = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Returns the hashes of the files in a folder, by path. */
async function hashFiles(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
  const hashes = files.map(async (file) => [path.relative(folder, file), hashBytes(await readFile(file))]);
  return Object.fromEntries(await Promise.all(hashes));
}

const unpack = async (download: Download) => unzipSync(await readFile(await download.path()));

test('a reader exports a space as the same files that the command line writes', async () => {
  const organization = await platform().makeOrganization('Acme');
  const space = await platform().makeSpace({ organization, title: 'Handbook' });
  const [image] = await createFiles(getClient(platform(), space), [createPixel('logo.png')]);
  const install = await makePage(space, 'Install', `## Steps\n\n![Logo](/files/${image?.id})\n`, { icon: 'rocket' });
  await edit(space, [
    { operation: 'insert_page', title: 'Guide', document: { markdown: `See [Install](/pages/${install}).` } },
    { operation: 'insert_page', title: 'Linux', document: { markdown: '# Linux\n' }, into: install },
    { operation: 'insert_page', title: 'Hidden', document: { markdown: 'x'.repeat(300_000) }, hidden: true },
  ]);
  const folder = await createTemporaryFolder();
  const env = { OCTAVO_URL: platform().url, OCTAVO_TOKEN: space.token };
  expect(await octavo(env, 'export', space.id, folder)).toMatchObject({ code: 0 });
  const { page, faults } = await openSignedIn(browser, organization, { role: 'read' });

  await page.goto(`${platform().url}/app/spaces/${space.id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  const downloading = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Export as Markdown' }).click();
  const download = await downloading;
  await page.getByText('The download has started.').waitFor();
  await checkScreen(page, 'export');

  expect(download.suggestedFilename()).toBe('Handbook.zip');
  const packed = await unpack(download);
  expect(Object.fromEntries(Object.entries(packed).map(([file, bytes]) => [file, hashBytes(bytes)]))).toEqual(
    await hashFiles(folder),
  );
  expect(Object.keys(packed)).toEqual(expect.arrayContaining(['SUMMARY.md', 'install/README.md', 'install/linux.md']));
  expect(faults).toEqual([]);
}, 120_000);

test('names the file that an export could not read', async () => {
  const organization = await platform().makeOrganization('Acme');
  const space = await platform().makeSpace({ organization, title: 'Handbook' });
  const [image] = await createFiles(getClient(platform(), space), [createPixel('logo.png')]);
  await makePage(space, 'Install', `![Logo](/files/${image?.id})\n`);
  const { page } = await openSignedIn(browser, organization);
  await page.goto(`${platform().url}/app/spaces/${space.id}`);
  await page.getByRole('button', { name: 'More actions' }).waitFor();
  const address = new URL(image?.downloadURL ?? '').pathname;
  await page.route(`**${address}*`, (route) => route.fulfill({ status: 503 }));

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Export as Markdown' }).click();
  await page.getByText('The file logo.png could not be read: the server returned 503.').waitFor();
}, 120_000);

test('shows why an export failed, and tries again', async () => {
  const organization = await platform().makeOrganization('Acme');
  const space = await platform().makeSpace({ organization, title: 'Handbook' });
  await makePage(space, 'Install', 'Install it.');
  const { page } = await openSignedIn(browser, organization);
  await page.goto(`${platform().url}/app/spaces/${space.id}`);
  await page.getByText('Install it.').waitFor();
  await page.route('**/v1/**/revisions/*/page/*', (route) => route.abort());

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Export as Markdown' }).click();
  await page.getByText('The server cannot be reached.').waitFor();
  await page.unroute('**/v1/**/revisions/*/page/*');
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Try again' }).click();

  expect(Object.keys(await unpack(await downloading))).toContain('install.md');
}, 120_000);

test('a folder with long texts can be imported', async () => {
  const organization = await platform().makeOrganization('Acme');
  const space = await platform().makeSpace({ organization, title: 'Handbook' });
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-import-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(path.join(folder, 'docs'));
  await writeFile(path.join(folder, 'docs/long.md'), `# Long\n\n${'Some words. '.repeat(40_000)}\n`);
  const { page, faults } = await openSignedIn(browser, organization);

  await page.goto(`${platform().url}/app/spaces/${space.id}/import`);
  await page.getByLabel('Choose a folder').and(page.locator('input')).setInputFiles(folder);
  await page.getByText('Import complete').waitFor();

  const { pages } = await json<{ pages: { title: string }[] }>(`/v1/spaces/${space.id}/content/pages`, space);
  expect(JSON.stringify(pages)).toContain('"Long"');
  expect(faults).toEqual([]);
}, 120_000);

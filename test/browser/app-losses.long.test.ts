import fc from 'fast-check';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { json, makeChangeRequest, makePage } from '../support/content.ts';
import { type OwnPlatform, startOwnPlatform, until } from '../support/own-platform.ts';
import { platform, replacePlatform, type TestSpace } from '../support/platform.ts';
import { drawValues } from '../support/random.ts';
import { openBrowser } from './open-browser.ts';
import { openSignedIn } from './signed-in-page.ts';

// Tests that the app never loses written text, even if the page, the network or the server ends at any moment.

let browser: Browser;
let own: OwnPlatform | undefined;

beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);

afterEach(async () => {
  replacePlatform();
  await own?.remove();
  own = undefined;
});

afterAll(() => browser?.close());

const getText = (tab: Page) => tab.getByRole('textbox', { name: 'Text of the page' });

interface EditedDraft {
  space: TestSpace;
  changeRequest: string;
  page: string;
}

/** Creates a page in a draft. Returns it with its address in the app. */
async function makeDraft(space: TestSpace, markdown: string) {
  const page = await makePage(space, 'Guide', markdown);
  const changeRequest = (await makeChangeRequest(space, 'Write')).id;
  const path = `/app/spaces/${space.id}/change-requests/${changeRequest}/edit/${page}`;
  return { draft: { space, changeRequest, page }, address: `${platform().url}${path}` };
}

const readText = async ({ space, changeRequest, page }: EditedDraft): Promise<string> => {
  const path = `/v1/spaces/${space.id}/change-requests/${changeRequest}/content/page/${page}`;
  return (await json<{ markdown: string }>(path, { token: space.token })).markdown;
};

/** Opens the address in a new tab, and places the cursor at the end of the text. */
async function openAtEnd(context: BrowserContext, address: string): Promise<Page> {
  const tab = await context.newPage();
  tab.setDefaultTimeout(60_000);
  await tab.goto(address);
  await getText(tab).click();
  await tab.keyboard.press('Control+End');
  return tab;
}

const fault = fc.oneof(
  { weight: 20, arbitrary: fc.constant('none' as const) },
  { weight: 8, arbitrary: fc.constantFrom('close the tab', 'lose the network', 'wait until saved') },
  { weight: 2, arbitrary: fc.constantFrom('kill the runtime', 'kill the server') },
);

/** More kills would take minutes, and the server gives up after five restarts of its runtime. */
const maxKills = 4;

test('no written word is lost when tabs, the server and the network fail at random during 50 edits', {
  timeout: 600_000,
}, async () => {
  own = await startOwnPlatform({ ownGroup: true });
  const { token, organization: id } = own;
  replacePlatform(own);
  const organization = { id, title: '', user: '', token };
  const space = await own.makeSpace({ organization });
  const { draft, address } = await makeDraft(space, 'Start\n');
  const context = (await openSignedIn(browser, organization)).page.context();
  let tab = await openAtEnd(context, address);
  let expected = 'Start';
  let kills = 0;
  for (const [index, next] of drawValues(fault, 50).entries()) {
    const word = ` word${index}`;
    await tab.keyboard.type(word);
    expected += word;
    if (next === 'close the tab') {
      await tab.close();
      await context.setOffline(false);
      tab = await openAtEnd(context, address);
    } else if (next === 'lose the network') await context.setOffline(true);
    else if (next === 'wait until saved') {
      await context.setOffline(false);
      await expect.poll(() => readText(draft), { timeout: 60_000 }).toBe(`${expected}\n`);
    } else if (next.startsWith('kill') && kills < maxKills) {
      kills += 1;
      await own.kill('SIGKILL', next === 'kill the runtime' ? 'workerd' : 'group');
      if (next === 'kill the server') await own.restart();
      await until(async () => ((await fetch(`${own?.url}/health`).catch(() => undefined))?.ok ? true : undefined));
    }
  }
  await context.setOffline(false);
  await expect.poll(() => readText(draft), { timeout: 120_000 }).toBe(`${expected}\n`);
  await expect.poll(() => tab.locator('.edit-status').textContent(), { timeout: 30_000 }).toBe('Saved');
});

test('two people write on one page for a minute, and both texts are there', { timeout: 300_000 }, async () => {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization });
  const { draft, address } = await makeDraft(space, 'First\n\nBetween\n\nLast\n');
  const write = async (name: string, block: string): Promise<string> => {
    const { page: tab } = await openSignedIn(browser, organization, { name });
    tab.setDefaultTimeout(60_000);
    await tab.goto(address);
    await getText(tab).getByText(block).click();
    await tab.keyboard.press('End');
    let written = block;
    const end = Date.now() + 60_000;
    for (let count = 0; Date.now() < end; count += 1) {
      await tab.keyboard.type(` ${name}${count}`, { delay: 30 });
      written += ` ${name}${count}`;
      // Each tenth word is followed by the pause after which the text is sent.
      if (count % 10 === 9)
        await expect.poll(() => tab.locator('.edit-status').textContent(), { timeout: 30_000 }).toBe('Saved');
    }
    await expect.poll(() => tab.locator('.edit-status').textContent(), { timeout: 30_000 }).toBe('Saved');
    return written;
  };
  const [first, last] = await Promise.all([write('ada', 'First'), write('bob', 'Last')]);
  expect(await readText(draft)).toBe(`${first}\n\nBetween\n\n${last}\n`);
});

test('two people who write in one line see both versions and choose', { timeout: 180_000 }, async () => {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization });
  const { draft, address } = await makeDraft(space, 'Line\n');
  const tabs = await Promise.all(
    ['ada', 'bob'].map(async (name) => {
      const { page: tab } = await openSignedIn(browser, organization, { name });
      tab.setDefaultTimeout(60_000);
      await tab.goto(address);
      await getText(tab).click();
      await tab.keyboard.press('Control+End');
      return tab;
    }),
  );
  const [ada, bob] = tabs as [Page, Page];
  // Neither text is sent before both are written.
  for (const tab of tabs) await tab.context().setOffline(true);
  await ada.keyboard.type(' by ada');
  await bob.keyboard.type(' by bob');
  for (const tab of tabs) await tab.context().setOffline(false);
  const waitForConflict = async (tab: Page): Promise<Page> => {
    await tab.getByRole('button', { name: 'Conflict: compare versions' }).waitFor();
    return tab;
  };
  const inConflict = await Promise.any([waitForConflict(ada), waitForConflict(bob)]);
  await inConflict.getByRole('button', { name: 'Conflict: compare versions' }).click();
  const dialog = inConflict.getByRole('dialog');
  await dialog.getByText('by ada').first().waitFor();
  await dialog.getByText('by bob').first().waitFor();
  await dialog.getByRole('button', { name: 'Keep my version' }).click();
  const mine = inConflict === ada ? 'Line by ada\n' : 'Line by bob\n';
  await expect.poll(() => readText(draft), { timeout: 30_000 }).toBe(mine);
});

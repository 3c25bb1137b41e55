import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { json, makePage } from '../support/content.ts';
import { platform, type TestSpace } from '../support/platform.ts';
import { openSignedIn } from './signed-in-page.ts';

export interface ContentPage {
  title: string;
  markdown: string;
}

interface Edited {
  tab: Page;
  space: TestSpace;
  changeRequest: string;
  page: string;
}

/** Signs in, opens a page of a new space, and starts to edit it. */
export async function openEditing(browser: Browser, markdown: string) {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization });
  const page = await makePage(space, 'Guide', markdown);
  const { page: tab, faults } = await openSignedIn(browser, organization);
  const context = tab.context();
  await tab.goto(`${platform().url}/app/spaces/${space.id}/content/page/${page}`);
  await tab.getByRole('button', { name: 'Edit', exact: true }).click();
  await getText(tab).click();
  await tab.keyboard.press('Control+End');
  const changeRequest = /change-requests\/(\w+)/.exec(tab.url())?.[1] ?? '';
  return { context, tab, faults, space, page, changeRequest };
}

export const getText = (tab: Page) => tab.getByRole('textbox', { name: 'Text of the page' });
export const getStatus = (tab: Page) => tab.locator('.edit-status');

export const readPage = ({ id, token }: TestSpace, changeRequest: string, page: string): Promise<ContentPage> =>
  json(`/v1/spaces/${id}/change-requests/${changeRequest}/content/page/${page}`, { token });

/** Waits until the change request contains this text, and the screen says so. */
export async function waitUntilSent({ tab, space, changeRequest, page }: Edited, expected: object): Promise<void> {
  await expect.poll(() => readPage(space, changeRequest, page), { timeout: 30_000 }).toMatchObject(expected);
  await expect.poll(() => getStatus(tab).textContent(), { timeout: 10_000 }).toBe('Saved');
}

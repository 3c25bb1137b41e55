import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { json } from '../support/content.ts';
import { findSignInLink, waitForMail } from '../support/mail.ts';
import { platform, type TestOrganization } from '../support/platform.ts';

interface SignedInOptions extends BrowserContextOptions {
  name?: string;
  role?: string;
}

/** The page of a browser window, which shares no cookies with others. */
export interface BrowserWindow {
  page: Page;
  /** Script errors, policy violations and failed requests. */
  faults: string[];
}

/** Opens a browser window. It is closed after the test. */
export async function openWindow(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserWindow> {
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    viewport: { width: 1440, height: 900 },
    ...options,
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`${message.text()} ${message.location().url}`);
  });
  return { page, faults };
}

/** Signs in to the app by the link in the first mail to an address. */
export async function followMailLink(page: Page, email: string): Promise<void> {
  await page.goto(`${platform().url}${findSignInLink(await waitForMail(email))}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('main').waitFor();
}

/** Invites a person, who signs in to the app in a browser window. */
export async function openSignedIn(
  browser: Browser,
  { id, token }: TestOrganization,
  { name = 'ada', role = 'admin', ...options }: SignedInOptions = {},
): Promise<BrowserWindow> {
  const email = `${name}-${randomUUID()}@example.test`;
  await json(`/v1/orgs/${id}/invites`, { token, body: { emails: [email], role } });
  const window = await openWindow(browser, options);
  await followMailLink(window.page, email);
  return window;
}

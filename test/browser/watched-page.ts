import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';

/** A page that reports script execution and other effects that hostile texts must not have. */
export interface WatchedPage {
  page: Page;
  /** Reports of executed scripts, policy violations and requests to other hosts. */
  told: string[];
}

/** Opens a page that defines `hit`, which hostile texts call when executed. */
export async function openWatchedPage(browser: Browser): Promise<WatchedPage> {
  const page = await browser.newPage();
  const messages: string[] = [];
  await page.exposeFunction('hit', (name: string) => messages.push(`it ran: ${name}`));
  await page.exposeFunction('report', (text: string) => messages.push(text));
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    report(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`);
  page.on('console', (message) => {
    if (/Content Security Policy|Refused/.test(message.text())) messages.push(message.text());
  });
  page.on('pageerror', (error) => messages.push(error.message));
  page.on('dialog', (dialog) => messages.push(dialog.message()));
  // Block requests to other hosts and report them, except for images.
  await page.route(/^https?:\/\/(?!127\.0\.0\.1)/, (route) => {
    if (route.request().resourceType() !== 'image') messages.push(`asked for ${route.request().url()}`);
    return route.abort();
  });
  return { page, told: messages };
}

/** Checks the links of a page, and opens and focuses its interactive elements. */
export async function provoke(page: Page): Promise<void> {
  for (const anchor of await page.locator('a[href]').evaluateAll((all) => all.map((a) => a.getAttribute('href'))))
    expect(anchor).not.toMatch(/^\s*(?:javascript|data|vbscript|view-source):/i);
  await page.evaluate(`for (const each of document.querySelectorAll('details')) each.toggleAttribute('open', true);
    for (const each of document.querySelectorAll('[role=tabpanel][hidden]')) each.hidden = false;
    for (const each of document.querySelectorAll('[autofocus], main button')) each.focus();`);
}

/** Checks that nothing was reported, and that reporting still works. */
export async function expectStillWatching({ page, told: messages }: WatchedPage): Promise<void> {
  expect(messages).toEqual([]);
  await page.evaluate("hit('what is told')");
  expect(messages).toEqual(['it ran: what is told']);
}

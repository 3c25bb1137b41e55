import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';

const folder = path.resolve(import.meta.dirname, '../../build/screenshots');

/** Keeps what a page looks like, whole, for people who ask for that: it takes as long as what the test is about. */
export async function picture(page: Page, name: string): Promise<void> {
  if (process.env.OCTAVO_PICTURES === undefined) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name.replace(/[^\w]+/g, '-')}.png`), fullPage: true });
}

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';

const folder = path.resolve(import.meta.dirname, '../../build/screenshots');

/** Keeps what a page looks like, whole, for people to look at. */
export async function picture(page: Page, name: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name.replace(/[^\w]+/g, '-')}.png`), fullPage: true });
}

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';

const folder = path.resolve(import.meta.dirname, '../../build/screenshots');

/** Saves a full-page screenshot if OCTAVO_PICTURES is `all`. Off by default, because it takes as long as the test. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (process.env.OCTAVO_PICTURES !== 'all') return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name.replace(/[^\w]+/g, '-')}.png`), fullPage: true });
}

import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';

const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const quiet = ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Starts the installed Chromium, or otherwise the one of `@sparticuz/chromium` with its libraries. */
export async function openBrowser(more: string[] = []): Promise<Browser> {
  const args = [...quiet, ...more];
  const executablePath = installed.find(existsSync);
  if (executablePath !== undefined) return chromium.launch({ executablePath, args });
  const { default: packaged, inflate } = await import('@sparticuz/chromium');
  const bin = path.join(path.dirname(new URL(import.meta.resolve('@sparticuz/chromium')).pathname), '../../bin');
  await inflate(path.join(bin, 'al2023.tar.br'));
  return chromium.launch({
    executablePath: await packaged.executablePath(),
    args: [...args, '--no-zygote', '--in-process-gpu'],
    env: { ...process.env, LD_LIBRARY_PATH: path.join(tmpdir(), 'al2023/lib') },
  });
}

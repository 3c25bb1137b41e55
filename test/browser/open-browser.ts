import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';

const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const quiet = ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const build = path.resolve(import.meta.dirname, '../../build');

const extract = `const { default: chromium, inflate } = await import('@sparticuz/chromium');
  await chromium.executablePath();
  await inflate(process.argv[1]);`;

/** Returns the folder of the packaged Chromium, which is extracted once for all processes of all test runs. */
async function extractPackaged(): Promise<string> {
  const file = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const bin = path.join(file.slice(0, file.lastIndexOf(`${path.sep}build${path.sep}`)), 'bin');
  const { version } = createRequire(import.meta.url)(path.join(bin, '../package.json')) as { version: string };
  const folder = path.join(build, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(build, { recursive: true });
  const temporary = await mkdtemp(`${folder}-`);
  try {
    const args = ['--input-type=module', '-e', extract, path.join(bin, 'al2023.tar.br')];
    await promisify(execFile)(process.execPath, args, {
      cwd: import.meta.dirname,
      env: { ...process.env, TMPDIR: temporary },
    });
    // If another process has created the folder in the meantime, renaming fails and its folder is used.
    await rename(temporary, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return folder;
}

/** Starts the installed Chromium, which Lighthouse requires. */
export function openInstalledBrowser(more: string[] = []): Promise<Browser> {
  const executablePath = installed.find(existsSync);
  if (executablePath === undefined) throw new Error('Chromium is not installed. Install it, for example with apt-get.');
  return chromium.launch({ executablePath, args: [...quiet, ...more] });
}

/**
 * Starts the Chromium of `@sparticuz/chromium` with its libraries. It has no user interface, so a page takes a fifth of
 * the CPU time of an installed one. The package only contains a build for Linux on x64.
 */
export async function openBrowser(): Promise<Browser> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return openInstalledBrowser();
  const folder = await extractPackaged();
  return chromium.launch({
    executablePath: path.join(folder, 'chromium'),
    args: [...quiet, '--no-zygote', '--in-process-gpu'],
    env: { ...process.env, LD_LIBRARY_PATH: path.join(folder, 'al2023/lib') },
  });
}

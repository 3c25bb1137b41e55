import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { spaceLinks } from '../content/links/link-client.ts';
import { clientOf } from '../content/space-client.ts';
import { platform } from '../support/platform.ts';
import { commandLine, spaceIn } from './octavo.ts';

/** A large book where it is at hand, else this product's own documentation. */
const books = ['../../../shared/data/rust-book/src', '../../docs'].map((at) => path.resolve(import.meta.dirname, at));
const book = books.find((folder) => existsSync(folder)) ?? '';

interface ListedFile {
  git?: { path: string };
  dimensions?: { width: number; height: number };
}

/** A line of code, a comment or a definition that no text uses links to nothing. */
function targetsIn(markdown: string): string[] {
  const text = markdown
    .replace(/^([ >]*)(```+|~~~+).*\n(?:.*\n)*?[ >]*\2.*$/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/(?<!`)(`+)(?!`)(?:(?!\n\s*\n)[\s\S])+?(?<!`)\1(?!`)/g, (code) => code.replace(/[[\]()<>]/g, '.'));
  const inline = [...text.matchAll(/\]\(\s*<?([^()\s>]*(?:\([^()\s]*\))?[^()\s>]*)>?(?:\s+"[^"]*")?\s*\)/g)];
  const html = [...text.matchAll(/<(?:a|img)\b[^<>]*?\s(?:href|src)="([^"]*)"/g)];
  const label = (each: string) => each.toLowerCase().replace(/\s+/g, ' ').trim();
  const body = text.replace(/^[ >]*\[[^\]]+\]:\s*\S+.*$/gm, '');
  const used = new Set([...body.matchAll(/\[((?:[^[\]]|\[[^[\]]*\])+)\]/g)].map(([, name = '']) => label(name)));
  const defined = [...text.matchAll(/^[ >]*\[([^\]^][^\]]*)\]:\s*<?(\S+?)>?(?:[ \t].*)?$/gm)];
  return [
    ...[...inline, ...html].map(([, target = '']) => target),
    ...defined.flatMap(([, name = '', target = '']) => (used.has(label(name)) ? [target] : [])),
  ].filter((target) => target !== '' && !/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(target));
}

function isThere(target: string, from: string, files: Set<string>): boolean {
  const written = decodeURIComponent(target.replace(/[?#].*$/, ''));
  if (written === '') return true;
  const at = path.posix.normalize(path.posix.join(written.startsWith('/') ? '' : path.posix.dirname(from), written));
  const names = [at, `${at}.md`, `${at}/README.md`, `${at}/index.md`, at.replace(/\.html$/, '.md')];
  const asIndex = at.replace(/(^|\/)index\.html$/, '$1README.md');
  return [...names, asIndex].some((name) => files.has(name.replace(/^\.\//, '')));
}

test('of a real book every image is a file with its size, and what is told broken is what its files lack', async () => {
  const { octavo, token } = await commandLine();
  const all = (await readdir(book, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const files = new Set(all.map((entry) => path.relative(book, path.join(entry.parentPath, entry.name))));
  const imported = await octavo('import', book, '--space', 'new');
  expect(imported.code).toBe(0);
  const space = clientOf(platform(), { id: spaceIn(imported.stdout), token });

  const images = [...files].filter((file) => /\.(?:png|svg|jpe?g|gif)$/i.test(file));
  const { items } = await space.ok<{ items: ListedFile[] }>('/content/files?limit=1000');
  const sized = items.flatMap(({ git, dimensions }) =>
    dimensions !== undefined && dimensions.width * dimensions.height > 0 ? (git?.path ?? []) : [],
  );
  expect(sized.sort()).toEqual(images.sort());

  const naive = new Set<string>();
  for (const file of [...files].filter((each) => each.endsWith('.md') && each !== 'SUMMARY.md')) {
    const markdown = await readFile(path.join(book, file), 'utf8');
    for (const target of targetsIn(markdown)) if (!isThere(target, file, files)) naive.add(target.replace(/#.*$/, ''));
  }
  const broken = await spaceLinks(space, '&status=broken');
  expect(new Set(broken.items.map(({ target }) => target.replace(/#.*$/, '')))).toEqual(naive);
  expect(broken.stats.broken.total).toBe(broken.items.length);
  const whole = await spaceLinks(space);
  expect(whole.items.filter(({ status }) => status === 'broken')).toHaveLength(broken.items.length);
});

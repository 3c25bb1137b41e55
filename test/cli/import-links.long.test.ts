import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { spaceLinks } from '../content/links/link-client.ts';
import { getClient } from '../content/space-client.ts';
import { platform } from '../support/platform.ts';
import { commandLine, spaceIn } from './octavo.ts';
import { book, fileMeant, filesOfBook, isOutside, targetsIn } from './real-book.ts';

interface ListedFile {
  git?: { path: string };
  dimensions?: { width: number; height: number };
}

test('every image of a real book is a file with its size, and only missing files are reported as broken', async () => {
  const { octavo, token } = await commandLine();
  const files = await filesOfBook();
  const imported = await octavo('import', book, '--space', 'new');
  expect(imported.code).toBe(0);
  const space = getClient(platform(), { id: spaceIn(imported.stdout), token });

  const images = [...files].filter((file) => /\.(?:png|svg|jpe?g|gif)$/i.test(file));
  const { items } = await space.ok<{ items: ListedFile[] }>('/content/files?limit=1000');
  const sized = items.flatMap(({ git, dimensions }) =>
    dimensions !== undefined && dimensions.width * dimensions.height > 0 ? (git?.path ?? []) : [],
  );
  expect(sized.sort()).toEqual(images.sort());

  const naive = new Set<string>();
  for (const file of [...files].filter((each) => each.endsWith('.md') && each !== 'SUMMARY.md')) {
    const markdown = await readFile(path.join(book, file), 'utf8');
    for (const target of targetsIn(markdown).filter((each) => !isOutside(each)))
      if (fileMeant(target, file, files) === undefined) naive.add(target.replace(/#.*$/, ''));
  }
  const broken = await spaceLinks(space, '&status=broken');
  expect(new Set(broken.items.map(({ target }) => target.replace(/#.*$/, '')))).toEqual(naive);
  expect(broken.stats.broken.total).toBe(broken.items.length);
  const whole = await spaceLinks(space);
  expect(whole.items.filter(({ status }) => status === 'broken')).toHaveLength(broken.items.length);
});

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { listSpaceLinks } from '../content/links/link-client.ts';
import { getClient } from '../content/space-client.ts';
import { platform } from '../support/platform.ts';
import { createCommandLine, findSpaceId } from './octavo.ts';
import { book, findLinkedFile, findTargets, isOutside, listBookFiles } from './real-book.ts';

interface ListedFile {
  git?: { path: string };
  dimensions?: { width: number; height: number };
}

test('imports every image of a real book with its size, and reports only missing files as broken', async () => {
  const { octavo, token } = await createCommandLine();
  const files = await listBookFiles();
  const imported = await octavo('import', book, '--space', 'new');
  expect(imported.code).toBe(0);
  const space = getClient(platform(), { id: findSpaceId(imported.stdout), token });

  const images = [...files].filter((file) => /\.(?:png|svg|jpe?g|gif|webp)$/i.test(file));
  const { items } = await space.callJson<{ items: ListedFile[] }>('/content/files?limit=1000');
  const sized = items.flatMap(({ git, dimensions }) =>
    dimensions !== undefined && dimensions.width * dimensions.height > 0 ? (git?.path ?? []) : [],
  );
  expect(sized.sort()).toEqual(images.sort());

  const naive = new Set<string>();
  for (const file of [...files].filter((each) => each.endsWith('.md') && each !== 'SUMMARY.md')) {
    const markdown = await readFile(path.join(book, file), 'utf8');
    for (const target of findTargets(markdown).filter((each) => !isOutside(each)))
      if (findLinkedFile(target, file, files) === undefined) naive.add(target.replace(/#.*$/, ''));
  }
  const broken = await listSpaceLinks(space, '&status=broken');
  expect(new Set(broken.items.map(({ target }) => target.replace(/#.*$/, '')))).toEqual(naive);
  expect(broken.stats.broken.total).toBe(broken.items.length);
  const whole = await listSpaceLinks(space);
  expect(whole.items.filter(({ status }) => status === 'broken')).toHaveLength(broken.items.length);
});

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createReferenceSite, findTexts } from './reference-site.ts';

const github = fileURLToPath(import.meta.resolve('@octokit/openapi/generated/api.github.com.json'));

test('renders a page from the parts of a 12 MB specification that it needs, without reading the whole specification again', async () => {
  const site = await createReferenceSite(readFileSync(github, 'utf8'));
  const first = await site.read('emojis');
  const list = await site.read('gists');
  const second = await site.read('gists/gists-list');

  expect(findTexts(first.html, 'endpoint')).toEqual(['gethttps://api.github.com/emojis']);
  expect(findTexts(list.html, 'listed')).toHaveLength(20);
  expect(findTexts(second.html, 'reference')).toHaveLength(1);
  expect(second.html).toContain('200 · default');
  expect(second.html.length).toBeLessThan(150_000);
});

import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { operations } from '../support/endpoints.ts';

const root = path.resolve(import.meta.dirname, '../..');
const documents = [
  ...globSync(['docs/**/*.md', 'integrations/*/README.md', 'README.md'], { cwd: root }).map((file) => ({
    file,
    text: readFileSync(path.join(root, file), 'utf8'),
  })),
];

const isParameter = (segment: string): boolean => /^[:{]/.test(segment);

/** Whether a document refers to this operation, by its full path or, after an ellipsis, by the end of the path. */
function isNamed({ method, path }: { method: string; path: string }, [expected, address = '']: string[]): boolean {
  const [, dots, named = ''] = /^(\.\.\.|…|\{P\})?(.*)$/.exec(address) ?? [];
  const parts = path.split('/').slice(1);
  const segments = named.split('/').slice(1);
  const tail = dots === undefined ? parts : parts.slice(-segments.length);
  if (method !== expected || tail.length !== segments.length) return false;
  return tail.every((part, index) => isParameter(part) || part === segments[index]);
}

/** Operations that documents mention as `METHOD path?name=...`, with the file. */
const named = documents.flatMap(({ file, text }) =>
  [...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) ((?:\/v1\/|\.\.\.\/|…\/|\{P\}\/)[^\s`?]+)(?:\?([^`]*))?`/g)].map(
    ([whole, method = '', address = '', query = '']) => ({ file, whole, method, address, query }),
  ),
);

test('each operation named in a document exists, with the parameters that the document gives', () => {
  expect(named.length).toBeGreaterThan(50);
  const wrong = named.filter(({ method, address, query }) => {
    const matchingOperations = operations.filter(({ endpoint }) => isNamed(endpoint, [method, address]));
    const names = [...new URLSearchParams(query).keys()];
    return !matchingOperations.some(({ endpoint }) =>
      names.every((name) => Object.hasOwn(endpoint.query?.shape ?? {}, name)),
    );
  });

  expect(wrong.map(({ file, whole }) => `${file}: ${whole}`)).toEqual([]);
});

test('each JSON block in a document is valid', () => {
  for (const { file, text } of documents)
    for (const [, block = ''] of text.matchAll(/^```json\n([\s\S]*?)^```$/gm))
      expect(() => JSON.parse(block), `${file}: ${block}`).not.toThrow();
});

import { join } from 'node:path';
import { test } from 'vitest';
import { book } from '../../cli/real-book.ts';
import { checkTexts } from './corpus.ts';

const packages = join(import.meta.dirname, '../../node_modules');

test.each<[name: string, folder: string, files: number]>([
  ['the manual of npm', join(packages, 'npm/docs/content'), 80],
  ['fastify', join(packages, 'fastify/docs'), 40],
  ['a large book', book, 35],
])(
  'returns each text of %s unchanged, and its document matches the schema and loses no block',
  (_name, folder, least) => {
    checkTexts(folder, least);
  },
);

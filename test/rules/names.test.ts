import { expect, test } from 'vitest';
import type { Source } from '../support/sources.ts';
import { getSources } from '../support/sources.ts';

const sources = getSources('packages', 'workers');

/** The top-level types of a file. The formatter does not indent them. */
const findTypes = ({ text, path }: Source) =>
  [...text.matchAll(/^(export )?(?:declare )?(?:interface|type) (\w+)[ <]/gm)].map(([, exported, name = '']) => ({
    name,
    isExported: exported !== undefined,
    path,
  }));

const types = sources.flatMap(findTypes);

test('no worker parses constraint names: checks create the errors of a rejected batch', () => {
  const knowing = getSources('workers').filter(({ text }) => /CommitConflict|A concurrent write/.test(text));

  expect(knowing.map(({ path }) => path)).toEqual([]);
});

test('only commitStep marks jobs as done', () => {
  const settling = getSources('workers').filter(({ text }) => /\bdoneAt\b|SET done_at|\bsettleEvent\b/.test(text));

  // Mails are sent and not only written, so no other write is in the same batch.
  expect(settling.map(({ path }) => path)).toEqual(['workers/org-admin/src/mail/send-requested-mail.ts']);
});

test('an exported type has a unique name', () => {
  const exported = types.filter(({ isExported }) => isExported);
  const shared = exported.filter(({ name, path }) =>
    exported.some((other) => other.name === name && other.path !== path),
  );

  expect(shared.map(({ name, path }) => `${name}: ${path}`)).toEqual([]);
});

test('no type has a meaningless name', () => {
  const vague = new Set(['Place', 'Target', 'Data', 'Info', 'Thing']);

  expect(types.filter(({ name }) => vague.has(name)).map(({ name, path }) => `${name}: ${path}`)).toEqual([]);
});

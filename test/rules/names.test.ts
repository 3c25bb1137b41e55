import { expect, test } from 'vitest';
import { sourcesOf } from '../support/sources.ts';

test('what a refused batch is answered with is told by checks: no worker knows a conflict by its name', () => {
  const knowing = sourcesOf('workers').filter(({ text }) => /CommitConflict|A concurrent write/.test(text));

  expect(knowing.map(({ path }) => path)).toEqual([]);
});

test('a job is settled by commitStep', () => {
  const settling = sourcesOf('workers').filter(({ text }) => /\bdoneAt\b|SET done_at|\bsettleEvent\b/.test(text));

  // A mail is sent, not written: nothing is in one batch with it.
  expect(settling.map(({ path }) => path)).toEqual(['workers/org-admin/src/mail/send-requested-mail.ts']);
});

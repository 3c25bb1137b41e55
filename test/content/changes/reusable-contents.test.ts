import { beforeEach, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient } from '../space-client.ts';

let space: SpaceClient;
let id = '';

beforeEach(async () => {
  space = getClient(platform(), await platform().makeSpace());
  const insert = {
    operation: 'insert_reusable_content',
    title: 'Note',
    document: { markdown: 'one\n\ntwo\n\nthree\n' },
  };
  const { body } = await space.edit([insert]);
  id = body.changes[0]?.reusableContent ?? '';
});

const write = (markdown: string) => ({
  operation: 'update_reusable_content',
  reusableContent: id,
  document: { markdown },
});
const readText = async (branch?: string) => {
  const place = branch === undefined ? '' : `/change-requests/${branch}`;
  return (await space.callJson<{ markdown: string }>(`${place}/content/reusable-contents/${id}`)).markdown;
};

test('merges changes of both sides in different lines', async () => {
  const branch = await space.open();
  await space.change([write('ONE\n\ntwo\n\nthree\n')], branch);
  await space.change([write('one\n\ntwo\n\nTHREE\n')]);

  expect((await space.merge(branch)).body.result).toBe('merge');
  expect(await readText()).toBe('ONE\n\ntwo\n\nTHREE\n');
});

test('changes of the same line conflict, and the merge waits until the markers are resolved', async () => {
  const branch = await space.open();
  await space.change([write('of the branch\n\ntwo\n\nthree\n')], branch);
  await space.change([write('of main\n\ntwo\n\nthree\n')]);
  const conflict = { kind: 'reusable-content', id, field: 'document' };

  expect((await space.merge(branch)).body).toMatchObject({ result: 'conflicts', conflicts: [conflict] });
  expect(await readText()).toBe('of main\n\ntwo\n\nthree\n');
  expect((await space.update(branch)).body).toMatchObject({ result: 'conflicts', conflicts: [conflict] });
  expect(await readText(branch)).toMatch(/<{7}.*\n(?:of the branch|of main)\n/);
  const response = await space.merge(branch);
  expect([response.status, response.body.error.message]).toEqual([409, expect.stringContaining(`Note (${id})`)]);

  await space.change([write('of both\n\ntwo\n\nthree\n')], branch);
  expect((await space.merge(branch)).body.result).toBe('merge');
  expect(await readText()).toBe('of both\n\ntwo\n\nthree\n');
});

test('conflicts if one side deletes it and the other changes it', async () => {
  const branch = await space.open();
  await space.change([{ operation: 'delete_reusable_content', reusableContent: id }], branch);
  await space.change([write('changed\n')]);

  expect((await space.merge(branch)).body).toMatchObject({
    result: 'conflicts',
    conflicts: [{ kind: 'reusable-content', id }],
  });
  expect(await readText()).toBe('changed\n');
});

test('a change request lists it among its changes', async () => {
  const branch = await space.open();
  await space.change([write('changed\n')], branch);

  const { changes } = await space.callJson<{ changes: object[] }>(`/change-requests/${branch}/changes`);
  expect(changes).toMatchObject([
    {
      type: 'reusable_content_edited',
      reusableContent: { id, title: 'Note' },
      attributes: { document: { added: 1, removed: 5, diff: expect.stringMatching(/^@@ -1,5 \+1,1 @@\n-one\n/) } },
    },
  ]);
  await space.change([{ ...write('one\n\ntwo\n\nthree\n'), title: 'Notes' }], branch);
  expect(await space.callJson(`/change-requests/${branch}/changes`)).toEqual({
    changes: [
      {
        type: 'reusable_content_edited',
        reusableContent: { id, title: 'Notes', document: expect.any(String) },
        attributes: { title: { before: 'Note', after: 'Notes' } },
      },
    ],
  });
});

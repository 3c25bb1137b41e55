import { expect, test } from 'vitest';
import { makeChangeRequest, makePage } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { call, callJson, createText } from './comment-client.ts';

interface ShownNode {
  key?: string;
  nodes?: ShownNode[];
}

const listKeys = (nodes: ShownNode[]): string[] =>
  nodes.flatMap(({ key, nodes: children = [] }) => [...(key === undefined ? [] : [key]), ...listKeys(children)]);

const note = '.gitbook/includes/note.md';

const blocks = [
  'A [relative link](other.md) and an ![inline image](.gitbook/assets/a.png).',
  '![An image](.gitbook/assets/a.png)',
  '{% file src=".gitbook/assets/a.png" %}',
  '{% content-ref url="other.md" %}\n[other.md](other.md)\n{% endcontent-ref %}',
  '* An item with a [link](other.md#top)\n* {{ space.vars.name }}',
  'Hello <code class="expression">space.vars.name</code>.',
  '{% hint style="info" %}\nA [link](other.md) in a hint.\n{% endhint %}',
  'Equal.',
  `{% include "${note}" %}`,
  'Equal.',
];

async function makeSpaceWithPage() {
  const space = await platform().makeSpace();
  await makePage(space, 'Other', '# Top\n');
  const changes = [
    { operation: 'insert_files', files: [{ name: 'a.png', base64: 'QQ==', contentType: 'image/png' }] },
    {
      operation: 'insert_reusable_content',
      title: 'Note',
      document: { markdown: 'Equal.\n\nIncluded [text](../../other.md).\n' },
      git: { path: note },
    },
  ];
  await callJson(`/v1/spaces/${space.id}/content`, space, { method: 'POST', body: { changes } });
  const page = await makePage(space, 'A page', `${blocks.join('\n\n')}\n`);
  return { space, page };
}

const forms = ['dereferenced=true', 'evaluated=true', 'evaluated=true&dereferenced=true'];

test.each(['live content', 'a change request'])('a block has the same key in every form of %s', async (point) => {
  const { space, page } = await makeSpaceWithPage();
  const branch = point === 'live content' ? '' : `/change-requests/${(await makeChangeRequest(space, 'A')).id}`;
  const path = `/v1/spaces/${space.id}${branch}`;
  const readKeys = async (form: string): Promise<string[]> => {
    const address = `${path}/content/page/${page}?format=document&${form}`;
    return listKeys((await callJson<{ document: { nodes: ShownNode[] } }>(address, space)).document.nodes);
  };
  const plain = await readKeys('');
  expect(new Set(plain).size).toBe(plain.length);
  for (const form of forms) {
    const keys = await readKeys(form);
    expect(keys.length).toBeGreaterThanOrEqual(blocks.length - 1);
    expect([form, keys.filter((key) => !plain.includes(key))]).toEqual([form, []]);
    for (const node of keys) {
      const response = await call(`${path}/comments`, space, {
        method: 'POST',
        body: { ...createText('Hm'), page, node },
      });
      expect([form, node, response.status]).toEqual([form, node, 200]);
    }
  }
});

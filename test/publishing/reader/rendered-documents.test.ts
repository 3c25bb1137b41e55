import { describe, expect, test } from 'vitest';
import { getClient, insertPage, type SpaceClient } from '../../content/space-client.ts';
import { platform } from '../../support/platform.ts';
import { makeSite, type SiteClient } from '../sites/site-client.ts';
import { read } from './reads.ts';

interface World {
  client: SpaceClient;
  site: SiteClient;
  /** The page to which the rendered text links. */
  target: string;
  content: string;
}

/** A text with its rendered form, and a change after which the same text is rendered differently. */
interface Case {
  markdown: (world: World) => string;
  shown: string;
  change: (world: World) => Promise<unknown>;
  shownAfter: string;
}

const changeTarget =
  (fields: object) =>
  ({ client, target }: World) =>
    client.change([{ operation: 'update_page', page: target, ...fields }]);

const setCustomization =
  (body: object) =>
  ({ site }: World) =>
    site.callJson('/customization', { method: 'PUT', body });

const cases: Record<string, Case> = {
  'the page to which it links has another title': {
    markdown: ({ target }) => `{% content-ref url="/pages/${target}" %}\n{% endcontent-ref %}\n`,
    shown: '>Target<',
    change: changeTarget({ title: 'New title' }),
    shownAfter: '>New title<',
  },
  'the page to which it links has another slug': {
    markdown: ({ target }) => `[Link](/pages/${target})\n`,
    shown: 'target">Link</a>',
    change: changeTarget({ slug: 'new-slug' }),
    shownAfter: 'new-slug">Link</a>',
  },
  'the page to which it links is deleted': {
    markdown: ({ target }) => `[Link](/pages/${target})\n`,
    shown: 'target">Link</a>',
    change: ({ client, target }) => client.change([{ operation: 'delete_page', page: target }]),
    shownAfter: '<p>Link</p>',
  },
  'the page to which it links is inserted': {
    markdown: () => '[Link](later)\n',
    shown: '<p>Link</p>',
    change: ({ client }) => client.change([insertPage('Later')]),
    shownAfter: 'later">Link</a>',
  },
  'the page to which it links gets a condition': {
    markdown: ({ target }) => `[Link](/pages/${target})\n`,
    shown: 'target">Link</a>',
    change: changeTarget({ condition: 'visitor.claims.unsigned.plan == "pro"' }),
    shownAfter: '<p>Link</p>',
  },
  'a heading to which it links is renamed': {
    markdown: ({ target }) => `[Link](/pages/${target}#first)\n`,
    shown: 'target#first">Link</a>',
    change: changeTarget({ document: { markdown: '## Other\n\nWords.\n' }, title: 'New title' }),
    shownAfter: 'target#other">Link</a>',
  },
  'a variable of the space changes': {
    markdown: () => '<code class="expression">space.vars.number</code> items.\n',
    shown: '1 items.',
    change: ({ client }) => client.change([{ operation: 'set_variables', variables: { number: 2 } }]),
    shownAfter: '2 items.',
  },
  'a text that it includes changes': {
    markdown: ({ content }) => `{% include "/reusable-contents/${content}" %}\n`,
    shown: 'Shared words.',
    change: ({ client, content }) => {
      const document = { markdown: 'New words.\n' };
      return client.change([{ operation: 'update_reusable_content', reusableContent: content, document }]);
    },
    shownAfter: 'New words.',
  },
  'links to other hosts open in a new tab': {
    markdown: () => '[Link](https://else.example/)\n',
    shown: '<a href="https://else.example/">Link</a>',
    change: setCustomization({ externalLinks: { target: 'blank' } }),
    shownAfter: '<a href="https://else.example/" target="_blank" rel="noopener">Link</a>',
  },
};

async function makeWorld(): Promise<World & { address: string }> {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization });
  const client = getClient(platform(), space);
  const [, target = ''] = await client.change([
    insertPage('Start'),
    insertPage('Target', { document: { markdown: '## First\n\nWords.\n' } }),
    { operation: 'set_variables', variables: { number: 1 } },
    { operation: 'insert_reusable_content', title: 'Shared', document: { markdown: 'Shared words.\n' } },
  ]);
  const { reusableContents } = await client.callJson<{ reusableContents: { id: string }[] }>('/content');
  const site = await makeSite(organization, { spaces: [space.id], visibility: 'public' });
  const address = (await site.publish()).urls.published ?? '';
  return { client, site, target, content: reusableContents[0]?.id ?? '', address };
}

describe.each(Object.entries(cases))('a rendered text, after %s', (_, { markdown, shown, change, shownAfter }) => {
  test('is rendered again', async () => {
    const world = await makeWorld();
    const { client, address } = world;
    await client.change([insertPage('Linking', { document: { markdown: markdown(world) } })]);
    const linking = `${address}linking`;
    expect((await read(linking)).text).toContain(shown);

    await change(world);
    // This view reads the tree, so that the next one can use the rendered text.
    await read(address);
    const after = await read(linking);

    expect([after.status, after.text.includes(shown)]).toEqual([200, false]);
    expect(after.text).toContain(shownAfter);
  });
});

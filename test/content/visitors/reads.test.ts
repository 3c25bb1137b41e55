import { beforeAll, expect, test } from 'vitest';
import type { SpaceClient, TreePage } from '../space-client.ts';
import { publishSite } from './visitor-client.ts';

let shown: SpaceClient;
let hidden: SpaceClient;
let member: SpaceClient;
let pages: Record<'open' | 'secret' | 'below', string>;

const secret = {
  operation: 'insert_page',
  title: 'Secretive',
  slug: 'secret-slug',
  document: { markdown: 'Hush\n' },
  condition: 'visitor.claims.staff',
};

beforeAll(async () => {
  const siteWorld = await publishSite();
  member = siteWorld.member;
  await member.change([{ operation: 'set_variables', variables: { plan: 'pro' } }]);
  const [hush = ''] = await member.change([secret]);
  const [below = ''] = await member.change([
    { operation: 'insert_page', into: hush, title: 'Deep', document: { markdown: 'Deeper\n' } },
  ]);
  const text = [
    'Read [the plan](secret-slug) and [secret-slug](secret-slug), {{ space.vars.plan }}.',
    '{% if visitor.claims.staff %}\nFor staff.\n{% else %}\nFor guests.\n{% endif %}',
    '{{ visitor.claims.staff.call() }}',
  ];
  const [open = ''] = await member.change([
    {
      operation: 'insert_page',
      title: 'Open',
      document: { markdown: `---\ndescription: Told\n---\n\n${text.join('\n\n')}\n` },
    },
  ]);
  pages = { open, secret: hush, below };
  shown = siteWorld.visit({ staff: true });
  hidden = siteWorld.visit();
});

test('no read returns a page whose condition is false, or descendants of this page', async () => {
  const paths = [pages.secret, pages.below].map((id) => `/content/page/${id}`);
  for (const path of [...paths, '/content/path/secret-slug', '/content/path/secret-slug/deep']) {
    expect([path, (await hidden.call(path)).status]).toEqual([path, 404]);
    expect([path, (await shown.call(path)).status]).toEqual([path, 200]);
  }
  expect((await hidden.pages()).map(({ id }) => id)).toEqual([pages.open]);
  expect((await shown.pages()).map(({ id }) => id)).toEqual([pages.secret, pages.open]);
});

test('evaluates conditions in every read, and reveals no hidden text', async () => {
  const guest = await hidden.page(pages.open);
  expect(guest.markdown).toBe('Read the plan and , pro.\n\nFor guests.\n');
  const staff = await shown.page(pages.open);
  expect(staff.markdown).toBe('Read [the plan](secret-slug) and [secret-slug](secret-slug), pro.\n\nFor staff.\n');
  const { document } = await hidden.callJson<{ document: object }>(`/content/page/${pages.open}?format=document`);
  expect(JSON.stringify(document)).not.toMatch(/secret|staff/);
});

test('omits conditions, variables and the source of a page', async () => {
  const page = await shown.callJson<Partial<TreePage>>(`/content/page/${pages.secret}`);
  for (const field of ['condition', 'documentId', 'variables', 'git', 'links']) expect(page).not.toHaveProperty(field);
  const revision = await shown.callJson<object>('/content');
  expect(revision).toMatchObject({ variables: {}, parents: [] });
});

test('omits the activity of members from a space that a visitor reads', async () => {
  await member.open();
  expect(await hidden.callJson('')).toMatchObject({
    changeRequests: 0,
    comments: 0,
    mergeRules: { type: 'inherit' },
    permissions: { view: true, access: false, edit: false, comment: false },
  });
});

test('hides the rest of a text after an unclosed condition', async () => {
  const [page = ''] = await member.change([
    {
      operation: 'insert_page',
      title: 'Broken',
      document: { markdown: 'Begin\n\n{% if visitor.claims.staff %}\n\nRest\n' },
    },
  ]);
  expect((await shown.page(page)).markdown).toBe('Begin\n');
  const text = 'One {% if visitor.claims.staff %}\n\nTwo\n\n{% endif %}\n';
  await member.change([{ operation: 'update_page', page, document: { markdown: text } }]);
  expect((await shown.page(page)).markdown).not.toMatch(/staff|Two/);
});

import { expect, test, vi } from 'vitest';
import { getClient } from '../../content/space-client.ts';
import { platform } from '../../support/platform.ts';
import { createPublishedSite, resolve } from './site-world.ts';

const server = platform();

test('conditions on variables of a space or page apply to reads, resolution and search', async () => {
  const organization = await server.makeOrganization();
  const space = await server.makeSpace({ organization });
  const member = getClient(server, space);
  await member.change([
    { operation: 'set_variables', variables: { closed: 'yes', open: 'yes' } },
    ...(
      [
        ['bySpace', `space.vars.closed != "yes"`],
        ['byPage', `page.vars.open != "no"`],
        ['unread', `page.vars.open != "no" || which()`],
        ['shown', `space.vars.open == "yes"`],
      ] as const
    ).map(([title, condition]) => ({
      ...{ operation: 'insert_page', ref: title, title, slug: `${title}-old`, condition },
      document: { markdown: `---\nvariables:\n  open: "no"\n---\n\nhidden words ${title}\n` },
    })),
    { operation: 'insert_page', title: 'Last', document: { markdown: 'hidden words of all' } },
  ]);
  const { pages } = await member.callJson<{ pages: { id: string; title: string }[] }>('/content');
  const getId = (title: string) => pages.find((page) => page.title === title)?.id ?? '';
  const titles = ['bySpace', 'byPage', 'unread', 'shown'];
  await member.change(
    titles.map((title) => ({ operation: 'update_page', page: getId(title), slug: `${title}-new`.toLowerCase() })),
  );
  const site = await createPublishedSite({ organization, spaces: [space.id] });
  const { apiToken: token } = await resolve(site.base);
  const searchUntilFound = async (title: string) => {
    const old = `${title}-old`.toLowerCase();
    const redirect = await server.request(`${site.path}/redirect?source=/${old}`, { token });
    const page = await server.request(`/v1/spaces/${space.id}/content/page/${getId(title)}`, { token });
    const { complete } = await resolve(`${site.base}/${title.toLowerCase()}-new`);
    return [page.status, complete, (await resolve(`${site.base}/${old}`)).target, redirect.status];
  };
  for (const title of ['bySpace', 'byPage', 'unread']) {
    expect([title, await searchUntilFound(title)]).toEqual([title, [404, false, undefined, 404]]);
  }
  expect(await searchUntilFound('shown')).toEqual([200, true, 'content', 200]);

  const search = async (by: string) => {
    const body = { query: 'hidden words', mode: 'all' };
    return (await server.request(`${site.path}/search`, { method: 'POST', token: by, body })).text();
  };
  await vi.waitFor(async () => {
    const answer = await search(organization.token);
    for (const title of [...titles, 'Last']) expect(answer).toContain(title);
  }, 30_000);
  const answer = await search(token);
  expect(answer).toContain('Last');
  for (const title of titles) expect(answer).not.toContain(title);
});

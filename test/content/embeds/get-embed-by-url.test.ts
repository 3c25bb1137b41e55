import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';

const getEmbed = async (url: string) => {
  const { token } = await platform().makeUser();
  return json<{ type: string; html?: string }>(`/v1/urls/embed?url=${encodeURIComponent(url)}`, { token });
};

test("embeds a resource of a known provider in the provider's frame", async () => {
  const { html, ...embed } = await getEmbed('https://youtu.be/dQw4w9WgXcQ');

  expect(embed).toMatchObject({ type: 'rich', site: 'YouTube' });
  expect(html).toContain('src="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ"');
});

test('sends no request for a URL of an unknown host', async () => {
  for (const url of ['http://127.0.0.1:1/a?b', 'http://169.254.169.254/latest', 'https://example.com/a?b']) {
    const { hostname, pathname, search } = new URL(url);
    expect(await getEmbed(url)).toEqual({ type: 'link', title: `${hostname}${pathname}${search}`, site: hostname });
  }
});

test('rejects URLs that are not web URLs', async () => {
  const { token } = await platform().makeUser();
  for (const url of ['javascript:alert(1)', 'data:text/html,x', 'x', '']) {
    const response = await platform().request(`/v1/urls/embed?url=${encodeURIComponent(url)}`, { token });
    expect([url, response.status]).toEqual([url, 400]);
  }
});

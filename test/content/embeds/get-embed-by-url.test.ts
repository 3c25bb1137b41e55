import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';

const embedOf = async (url: string) => {
  const { token } = await platform().makeUser();
  return json<{ type: string; html?: string }>(`/v1/urls/embed?url=${encodeURIComponent(url)}`, { token });
};

test('shows what a known provider has in a frame of the provider', async () => {
  const { html, ...embed } = await embedOf('https://youtu.be/dQw4w9WgXcQ');

  expect(embed).toMatchObject({ type: 'rich', site: 'YouTube' });
  expect(html).toContain('src="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ"');
});

test('security 21: asks nobody for an address whose host is not known', async () => {
  for (const url of ['http://127.0.0.1:1/a?b', 'http://169.254.169.254/latest', 'https://example.com/a?b']) {
    const { hostname, pathname, search } = new URL(url);
    expect(await embedOf(url)).toEqual({ type: 'link', title: `${hostname}${pathname}${search}`, site: hostname });
  }
});

test('security 22, 23: refuses what is no web address', async () => {
  const { token } = await platform().makeUser();
  for (const url of ['javascript:alert(1)', 'data:text/html,x', 'x', '']) {
    const answer = await platform().request(`/v1/urls/embed?url=${encodeURIComponent(url)}`, { token });
    expect([url, answer.status]).toEqual([url, 400]);
  }
});

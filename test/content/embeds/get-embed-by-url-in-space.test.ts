import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';

test('returns to users with access to the space how a URL is embedded in it', async () => {
  const space = await platform().makeSpace();
  const path = `/v1/spaces/${space.id}/embed?url=${encodeURIComponent('https://gist.github.com/ann/0123456789abcdef0123')}`;

  expect(await json(path, { token: space.token })).toEqual({
    type: 'link',
    title: 'gist.github.com/ann/0123456789abcdef0123',
    site: 'GitHub Gist',
  });
  const stranger = await platform().makeUser();
  expect((await platform().request(path, { token: stranger.token })).status).toBe(404);
});

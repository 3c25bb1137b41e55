import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { makeIntegration } from '../../support/integrations.ts';
import { platform } from '../../support/platform.ts';

const server = platform();

const block = { id: 'card', title: 'A card', urlUnfurl: ['https://cards.example/**'] };

async function publishWithBlocks(visibility: string) {
  const publisher = await server.makeOrganization();
  const { name } = await makeIntegration(publisher, { blocks: [block], visibility: 'public' });
  const owner = await server.makeOrganization();
  const space = await server.makeSpace({ organization: owner });
  const path = `/v1/integrations/${name}/installations`;
  const { id } = await json<{ id: string }>(path, { token: owner.token, body: { organization: owner.id } });
  await json(`/v1/integrations/${name}`, {
    token: publisher.token,
    body: {
      title: 'With blocks',
      description: 'It has blocks',
      script: 'export default {}',
      organization: publisher.id,
      visibility,
      blocks: [block],
    },
  });
  const listBlocks = () => json(`/v1/spaces/${space.id}/integration-blocks`, { token: owner.token });
  return { name, owner, space, blocks: listBlocks, installation: `${path}/${id}` };
}

test('a space lists the blocks of its active integrations', async () => {
  const { name, owner, space, blocks, installation } = await publishWithBlocks('public');
  expect(await blocks()).toEqual([]);

  await json(`${installation}/spaces`, { token: owner.token, body: { space: space.id } });
  expect(await blocks()).toEqual([{ name, blocks: [block] }]);
  const elsewhere = await server.makeSpace({ organization: owner });
  expect(await json(`/v1/spaces/${elsewhere.id}/integration-blocks`, { token: owner.token })).toEqual([]);
  const stranger = await server.makeOrganization();
  expect((await server.request(`/v1/spaces/${space.id}/integration-blocks`, { token: stranger.token })).status).toBe(
    404,
  );

  await json(installation, { token: owner.token, method: 'PATCH', body: { space_selection: 'all' } });
  expect(await json(`/v1/spaces/${elsewhere.id}/integration-blocks`, { token: owner.token })).toHaveLength(1);
  expect(await blocks()).toHaveLength(1);
  await json(installation, { token: owner.token, method: 'PATCH', body: { status: 'paused' } });
  expect(await blocks()).toEqual([]);
});

test('only the owner sees the blocks of an integration that became private', async () => {
  const { owner, space, blocks, installation } = await publishWithBlocks('private');
  await json(`${installation}/spaces`, { token: owner.token, body: { space: space.id } });
  expect(await blocks()).toEqual([]);
});

import { beforeAll, expect, test } from 'vitest';
import { platform, type TestOrganization } from '../../support/platform.ts';
import { createPetstoreSpec, getSpecs, getText, type Spec, type SpecClient } from './spec-client.ts';

let organization: TestOrganization;
let specs: SpecClient;
beforeAll(async () => {
  organization = await platform().makeOrganization();
  specs = getSpecs(platform(), organization);
  await specs.publish('pets', getText(createPetstoreSpec()));
});

test("returns the specification to a member with read access, with the member's permissions", async () => {
  const { token } = await platform().makeUser({ organization: organization.id, role: 'read' });

  const { status, body } = await specs.call<Spec>('/pets', { token });

  expect([status, body.permissions]).toEqual([200, { view: true, edit: false }]);
});

test('returns 404 to users of another organization, also under their own organization', async () => {
  const stranger = await platform().makeOrganization();

  expect((await specs.call('/pets', { token: stranger.token })).status).toBe(404);
  expect((await getSpecs(platform(), stranger).call('/pets')).status).toBe(404);
  expect((await specs.call('/dogs')).status).toBe(404);
});

import { beforeAll, expect, test } from 'vitest';
import { platform, type TestOrganization } from '../../support/platform.ts';
import { petstore, type Spec, type SpecClient, specsOf, textOf } from './spec-client.ts';

let organization: TestOrganization;
let specs: SpecClient;
beforeAll(async () => {
  organization = await platform().makeOrganization();
  specs = specsOf(platform(), organization);
  await specs.publish('pets', textOf(petstore()));
});

test('gives it to a member who may read, and tells that this one may not edit it', async () => {
  const { token } = await platform().makeUser({ organization: organization.id, role: 'read' });

  const { status, body } = await specs.call<Spec>('/pets', { token });

  expect([status, body.permissions]).toEqual([200, { view: true, edit: false }]);
});

test('is not there for strangers, nor under the path of their own organization', async () => {
  const stranger = await platform().makeOrganization();

  expect((await specs.call('/pets', { token: stranger.token })).status).toBe(404);
  expect((await specsOf(platform(), stranger).call('/pets')).status).toBe(404);
  expect((await specs.call('/dogs')).status).toBe(404);
});

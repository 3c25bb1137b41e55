import { beforeAll, describe, expect, test } from 'vitest';
import { makeMember, makeTeam } from '../../support/people.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import { createReviewClient } from '../review-client.ts';

let organization: TestOrganization;
beforeAll(async () => {
  organization = await platform().makeOrganization();
});

/** Makes a member and the request body that asks the member, or a team with the member, for a review. */
async function makeReviewer(kind: string, role: string) {
  const member = await makeMember(organization, role);
  const team = kind === 'team' ? await makeTeam(organization, { members: [member.user] }) : undefined;
  return { ...member, request: team === undefined ? { users: [member.user] } : { users: [], teams: [team.id] } };
}

describe.each(['user', 'team'])('a review request to a %s', (kind) => {
  test('allows only one of 25 concurrent reviews by the requested reviewers', async () => {
    const change = await createReviewClient(organization);
    const reader = await makeReviewer(kind, 'read');
    expect((await change.tryAsk(reader.request)).status).toBe(200);

    const responses = await Promise.all(Array.from({ length: 25 }, () => change.submit(reader.token)));

    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(24).fill(403)]);
    expect(await change.reviews()).toHaveLength(1);
  });

  test('does not let its creator review until another user requests the same reviewer', async () => {
    const change = await createReviewClient(organization);
    const editor = await makeReviewer(kind, 'edit');
    expect((await change.tryAsk(editor.request, editor.token)).status).toBe(200);

    expect((await change.submit(editor.token)).status).toBe(403);
    expect((await change.tryAsk(editor.request)).status).toBe(200);
    expect(await (await change.submit(editor.token)).json()).toMatchObject({ requestedBy: { id: organization.user } });
    expect(await change.listRequested()).toEqual([]);
  });

  test('a review request keeps its requester if the reviewer requests the same review again', async () => {
    const change = await createReviewClient(organization);
    const editor = await makeReviewer(kind, 'edit');
    await change.tryAsk(editor.request);
    expect((await change.tryAsk(editor.request, editor.token)).status).toBe(200);

    expect(await (await change.submit(editor.token)).json()).toMatchObject({ requestedBy: { id: organization.user } });
  });
});

test('a reviewer who requested their own review fulfills the request by reviewing', async () => {
  const change = await createReviewClient(organization);
  const reviewer = await makeMember(organization, 'review');
  await change.tryAsk({ users: [reviewer.user] }, reviewer.token);

  expect((await change.review(reviewer.token)).requestedBy).toMatchObject({ id: reviewer.user });
  expect((await change.submit(reviewer.token)).status).toBe(201);
});

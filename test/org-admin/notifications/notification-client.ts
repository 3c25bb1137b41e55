import { getClient } from '../../content/space-client.ts';
import { json, makeChangeRequest } from '../../support/content.ts';
import { makeMember } from '../../support/people.ts';
import type { TestOrganization, TestSpace, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

export interface ShownNotification {
  id: string;
  kind: string;
  actor: { id: string };
  readAt?: string;
  space: { id: string; title: string };
  changeRequest?: { id: string; number: number; subject: string };
  comment?: string;
  reply?: string;
  excerpt?: string;
  reviewStatus?: string;
  urls: { app: string };
}

const server = platform({ countsRows: true });
export const path = '/v1/user/notifications';

export const listNotifications = async ({ token }: { token: string }, search = '') =>
  (await json<{ items: ShownNotification[] }>(`${path}${search}`, { token }, server)).items;

export const listKinds = async (by: { token: string }) => (await listNotifications(by)).map(({ kind }) => kind);

interface Discussion {
  organization: TestOrganization;
  space: TestSpace;
  author: TestUser;
  reviewer: TestUser;
  /** The id and the path of a change request of the author. */
  id: string;
  requestPath: string;
}

/** Makes a change request of an author, and a reviewer. */
export async function makeDiscussion(): Promise<Discussion> {
  const organization = await server.makeOrganization();
  const space = await server.makeSpace({ organization, title: 'Handbook' });
  const [author, reviewer] = [await makeMember(organization, 'edit'), await makeMember(organization, 'review')];
  const { id } = await makeChangeRequest({ ...space, token: author.token }, 'Better words');
  return { organization, space, author, reviewer, id, requestPath: `/v1/spaces/${space.id}/change-requests/${id}` };
}

export const getDiscussedContent = ({ space }: Discussion, { token }: TestUser) =>
  getClient(server, { id: space.id, token });

export const send = <Body = { id: string }>(address: string, { token }: { token: string }, body: object) =>
  json<Body>(address, { token, method: 'POST', body }, server);

export const setDelivery = ({ token }: TestUser, kinds: Record<string, string>) =>
  json<{ kinds: Record<string, string> }>(
    '/v1/user/notification-preferences',
    { token, method: 'PATCH', body: { kinds } },
    server,
  );

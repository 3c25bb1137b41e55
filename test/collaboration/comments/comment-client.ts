import type { ApiFailure, Result } from '../../content/space-client.ts';
import { getCost } from '../../content/space-client.ts';
import { makeChangeRequest } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { guest } from '../../support/people.ts';
import type { Server, TestOrganization, TestSpace, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

export interface ShownReaction {
  emoji: string;
  count: number;
  users: { user: { id: string; email?: string }; reactedAt: string }[];
}

export interface ShownReply {
  object: string;
  id: string;
  postedBy: { id: string; displayName: string; email?: string };
  postedAt: string;
  editedAt?: string;
  reactions: ShownReaction[];
  body: { markdown?: string; document?: unknown };
  urls: { location: string };
  permissions: { view: boolean; edit: boolean; reply: boolean; delete: boolean };
}

export interface ShownComment extends ShownReply {
  replies: number;
  status: string;
  resolvedAt?: string;
  resolvedBy?: { id: string };
  target: {
    space: string;
    revision: string;
    changeRequest?: string;
    page?: { id: string; title: string; path: string; outdated: boolean };
    node?: { id: string; preview?: string };
  };
}

export type Shown = ShownComment & ApiFailure;

/** The two kinds of branches that have comments. */
export const prefixes = ['live content', 'a change request'] as const;
export type Prefix = (typeof prefixes)[number];

export interface Place {
  organization: TestOrganization;
  space: TestSpace;
  changeRequest: string | undefined;
  /** Path of the comments collection. */
  path: string;
}

export async function createCommentTarget(prefix: Prefix, server: Server = platform()): Promise<Place> {
  const organization = await server.makeOrganization();
  const space = await server.makeSpace({ organization });
  return makeCommentTarget(prefix, { organization, space }, server);
}

export async function makeCommentTarget(
  prefix: Prefix,
  { organization, space }: Pick<Place, 'organization' | 'space'>,
  server: Server = platform(),
): Promise<Place> {
  const changeRequest = prefix === 'live content' ? undefined : (await makeChangeRequest(space, 'A', server)).id;
  const branch = changeRequest === undefined ? '' : `/change-requests/${changeRequest}`;
  return { organization, space, changeRequest, path: `/v1/spaces/${space.id}${branch}/comments` };
}

interface Sent {
  method?: string;
  body?: unknown;
}

/** Sends a request to a comments path as a user. */
export async function call<Body = Shown>(
  address: string,
  { token }: { token: string },
  sent: Sent = {},
): Promise<Result<Body>> {
  const response = await platform().request(address, { token, ...sent });
  const text = await response.text();
  return {
    status: response.status,
    body: (text === '' ? undefined : JSON.parse(text)) as Body,
    cost: getCost(response),
  };
}

/** Like `call`, but throws if the request fails. */
export async function callJson<Body = Shown>(address: string, by: { token: string }, sent: Sent = {}): Promise<Body> {
  const { status, body } = await call<Body>(address, by, sent);
  if (status >= 300) throw new Error(`${address} returned ${status} ${JSON.stringify(body)}`);
  return body;
}

export const createText = (markdown: string) => ({ body: { markdown } });

export const post = ({ path, space }: Place, by: { token: string } = space, body: object = createText('Hello')) =>
  callJson(path, by, { method: 'POST', body });

export const put = (address: string, by: { token: string }, body: object) =>
  call<Shown>(address, by, { method: 'PUT', body });

/** Makes a member of the organization with a role. */
export const makeReader = ({ organization }: Place, role: string): Promise<TestUser> =>
  platform().makeUser({ organization: organization.id, role });

export async function makeGuest({ organization, space }: Place, role: string): Promise<TestUser> {
  const user = await platform().makeUser({ organization: organization.id, role: guest });
  await platform().request(`/v1/spaces/${space.id}/permissions`, {
    token: space.token,
    body: { users: [user.user], role },
  });
  return user;
}

/** Returns the comment count in the API response and the number of open comments in the database. */
export async function countComments({ space, changeRequest }: Place): Promise<{ shown: number; open: number }> {
  const address = `/v1/spaces/${space.id}${changeRequest === undefined ? '' : `/change-requests/${changeRequest}`}`;
  const { comments } = await callJson<{ comments: number }>(address, space);
  const [row] = query<{ open: number }>(
    'SELECT COUNT(*) AS open FROM comments WHERE branch = ? AND resolved_at IS NULL',
    changeRequest ?? space.id,
  );
  return { shown: comments, open: row?.open ?? -1 };
}

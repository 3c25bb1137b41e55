import type { ApiFailure } from '../../content/space-client.ts';
import { getClient, insertPage } from '../../content/space-client.ts';
import { makeMember } from '../../support/people.ts';
import type { TestOrganization, TestSpace, TestUser } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

export interface Scene {
  organization: TestOrganization;
  space: TestSpace;
  /** The user who opened the change request. */
  author: TestUser;
  reviewer: TestUser;
  branch: string;
}

/** Makes a change request with one page, its author (an admin) and a reviewer. */
export async function createMergeScene(): Promise<Scene> {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization });
  const [author, reviewer] = await Promise.all([makeMember(organization, 'admin'), makeMember(organization, 'review')]);
  const branch = await openBranch(space, author);
  return { organization, space, author, reviewer, branch };
}

export async function openBranch({ id }: TestSpace, { token }: TestUser): Promise<string> {
  const client = getClient(platform(), { id, token });
  const branch = await client.open();
  await client.change([insertPage('New')], branch);
  return branch;
}

export interface Sent {
  status: number;
  body: ApiFailure & Record<string, unknown>;
}

/** Sends a request below the path of the space. */
export async function send(
  { space }: Pick<Scene, 'space'>,
  { token }: { token: string },
  [path, options]: RequestInput,
): Promise<Sent> {
  const response = await platform().request(`/v1/spaces/${space.id}${path}`, { token, ...options });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
}

type RequestInput = [path: string, options: { method?: string; body?: unknown }];

export const createMergeRequest = (branch: string): RequestInput => [
  `/change-requests/${branch}/merge`,
  { method: 'POST' },
];
export const createReviewRequest = (branch: string, status = 'approved'): RequestInput => [
  `/change-requests/${branch}/reviews`,
  { body: { status } },
];
export const createEditRequest = (branch: string | undefined, title: string): RequestInput => [
  `${branch === undefined ? '' : `/change-requests/${branch}`}/content`,
  { body: { changes: [insertPage(title)] } },
];

export const setRules = async (scene: Pick<Scene, 'space'>, ...rules: object[]): Promise<void> =>
  void (await set(`/v1/spaces/${scene.space.id}`, scene.space.token, { type: 'rules', rules }));

export async function set(path: string, token: string, mergeRules: unknown): Promise<Sent> {
  const response = await platform().request(path, { token, method: 'PATCH', body: { mergeRules } });
  return { status: response.status, body: (await response.json()) as Sent['body'] };
}

/** Returns the paths of the merge rules that rejected a call, or its status. */
export const getRefusedRules = ({ status, body }: Sent): string[] | number =>
  status === 412 ? (body.error.issues ?? []).map(({ path }) => path) : status;

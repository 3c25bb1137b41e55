import { json, makeChangeRequest, makePage } from '../support/content.ts';
import { getAddress, getEndpoint } from '../support/endpoints.ts';
import { serveLocally } from '../support/local-server.ts';
import { makeMember, makeTeam } from '../support/people.ts';
import type { TestOrganization } from '../support/platform.ts';
import { platform } from '../support/platform.ts';
import { type BeforeCall, carryOut } from './carried-out.ts';
import type { Ids } from './walk.ts';

interface Write {
  id: string;
  request: string;
}

/** Calls write operations that are not in the specification and records the request IDs. */
export class Writer {
  readonly writes: Write[] = [];
  readonly #token: string;
  readonly #before: BeforeCall | undefined;

  constructor(token: string, before?: BeforeCall) {
    this.#token = token;
    this.#before = before;
  }

  async send<Body = { id: string }>(
    id: string,
    ids: Ids,
    { body, token = this.#token }: { body?: unknown; token?: string } = {},
  ): Promise<Body> {
    const endpoint = getEndpoint(id);
    const options = { token, method: endpoint.method, ...(body === undefined ? {} : { body }) };
    const sending = { id, endpoint, path: getAddress(endpoint, ids) };
    await this.#before?.(sending, options);
    const { answer, text: sent } = await carryOut(sending, options);
    this.writes.push({ id, request: answer.headers.get('octavo-request-id') ?? '' });
    return (sent === '' ? undefined : JSON.parse(sent)) as Body;
  }
}

async function writeContent(writer: Writer, organization: TestOrganization): Promise<void> {
  const owner = { organizationId: organization.id };
  const { id: spaceId } = await writer.send('createSpace', owner, { body: {} });
  const token = organization.token;
  await makePage({ id: spaceId, token }, 'A page');
  const changes = [{ operation: 'insert_page', title: 'Another', document: { markdown: 'Words.\n' } }];
  await writer.send('updateSpaceContent', { spaceId }, { body: { changes } });
  const { id: changeRequestId } = await makeChangeRequest({ id: spaceId, token });
  await writer.send('updateChangeRequestContent', { spaceId, changeRequestId }, { body: { changes } });
  const stops = await serveLocally((request, response) => {
    if (request.url === '/robots.txt') return void response.end('User-agent: *\nCrawl-delay: 10\n');
    const links = [1, 2, 3].map((each) => `<a href="/${each}">${each}</a>`).join('');
    return void response.setHeader('content-type', 'text/html').end(`<title>T</title><main><h1>T</h1>${links}</main>`);
  });
  const body = { url: stops, source: 'website' };
  for (const [ids, name] of [
    [{ spaceId }, ''],
    [{ spaceId, changeRequestId }, 'InChangeRequest'],
  ] as const) {
    const { id: importId } = await writer.send(`importContent${name}`, ids, { body });
    await writer.send(`cancelImport${name}`, { ...ids, importId });
  }
}

async function writePeople(writer: Writer, organization: TestOrganization): Promise<void> {
  const owner = { organizationId: organization.id };
  const member = await makeMember(organization, 'edit');
  const ids = { ...owner, userId: member.user };
  await writer.send('disableMemberInOrganization', ids);
  await writer.send('enableMemberInOrganization', ids);
  const file = { name: 'a.bin', type: 'application/octet-stream', size: 3 };
  await writer.send('generateStorageUploadURL', owner, { body: { file, kind: 'organization_file' } });
  const robot = await writer.send('createServiceAccount', owner, { body: { displayName: 'CI', role: 'read' } });
  const account = { ...owner, userId: robot.id };
  const token = await writer.send('createServiceAccountToken', account, { body: { label: 'Build' } });
  await writer.send('deleteServiceAccountToken', { ...account, tokenId: token.id });
  const domain = `writes-${Date.now()}.test`;
  const emails = [`ada@${domain}`];
  await writer.send('inviteUsersToOrganization', owner, { body: { emails } });
  const link = await writer.send('createOrganizationInvite', owner, { body: { role: 'read' } });
  await writer.send('updateOrganizationInviteById', { ...owner, inviteId: link.id }, { body: { role: 'edit' } });
  const guest = await platform().makeUser();
  await writer.send('joinOrganizationWithInvite', { ...owner, inviteId: link.id }, { token: guest.token });
  const neighbour = await platform().makeUser();
  const { email } = await json<{ email: string }>('/v1/user', neighbour);
  const emailDomains = [email.split('@')[1]];
  const options = { token: organization.token, method: 'PATCH', body: { emailDomains } };
  await json(`/v1/orgs/${organization.id}`, options);
  await writer.send('joinOrganization', owner, { token: neighbour.token });
}

async function writePermissions(writer: Writer, organization: TestOrganization): Promise<void> {
  const { id, token } = organization;
  const member = await makeMember(organization, 'read');
  const team = await makeTeam(organization, { members: [member.user] });
  const space = await platform().makeSpace({ organization });
  const collection = await json<{ id: string }>(`/v1/orgs/${id}/collections`, { token, body: {} });
  const subjects = { userId: member.user, teamId: team.id };
  for (const [kind, ids] of [
    ['Space', { spaceId: space.id, ...subjects }],
    ['Collection', { collectionId: collection.id, ...subjects }],
  ] as const) {
    await writer.send(`inviteTo${kind}`, ids, { body: { users: [member.user], teams: [team.id], role: 'edit' } });
    await writer.send(`updateUserPermissionIn${kind}`, ids, { body: { role: 'read' } });
    await writer.send(`updateTeamPermissionIn${kind}`, ids, { body: { role: 'read' } });
    await writer.send(`removeUserFrom${kind}`, ids);
    await writer.send(`removeTeamFrom${kind}`, ids);
  }
}

async function writeTranslations(writer: Writer, { id, token }: TestOrganization): Promise<void> {
  const translation = await json<{ id: string }>(`/v1/orgs/${id}/translations`, {
    token,
    body: { title: 'Languages' },
  });
  const ids = { organizationId: id, translationSettingsId: translation.id, translationLanguage: 'fr' };
  const body = { instructions: { markdown: 'Be brief.' } };
  await writer.send('createOrUpdateTranslationLanguage', ids, { body });
  await writer.send('deleteTranslationLanguage', ids);
}

async function writeSynonyms(writer: Writer, { id }: TestOrganization): Promise<void> {
  const body = { groups: [{ synonyms: ['k8s', 'kubernetes'] }] };
  await writer.send('updateSearchSynonyms', { organizationId: id }, { body });
}

async function writeReviews(writer: Writer, organization: TestOrganization): Promise<void> {
  const space = await platform().makeSpace({ organization });
  const page = await makePage(space, 'A page', 'A text.\n');
  const { id: changeRequestId } = await makeChangeRequest(space);
  const ids = { spaceId: space.id, changeRequestId };
  const comments = `/v1/spaces/${space.id}/change-requests/${changeRequestId}/comments`;
  const words = { body: { markdown: 'Words.' } };
  const { id: commentId } = await json<{ id: string }>(comments, { token: space.token, body: { page, ...words } });
  const replies = `${comments}/${commentId}/replies`;
  const reply = await json<{ id: string }>(replies, { token: space.token, body: words });
  const place = { ...ids, commentId, commentReplyId: reply.id };
  await writer.send('updateCommentReplyInChangeRequest', place, { body: { body: { markdown: 'Other words.' } } });
  await writer.send('deleteCommentReplyInChangeRequest', place);
  const block = await json<{ document: { nodes: { key: string }[] } }>(
    `/v1/spaces/${space.id}/content/page/${page}?format=document`,
    { token: space.token },
  );
  const suggestion = await json<{ id: string }>(comments, {
    token: space.token,
    body: { page, node: block.document.nodes[0]?.key, ...words, suggestion: { markdown: 'A suggested text.' } },
  });
  await writer.send('applySuggestionInChangeRequest', { ...ids, commentId: suggestion.id });
  const reviewer = await makeMember(organization, 'review');
  await writer.send('submitChangeRequestReview', ids, { token: reviewer.token, body: { status: 'approved' } });
}

/** Calls the operations for bookmarks and notifications. `writeReviews` has created a notification before. */
async function writeBookmarksAndNotifications(writer: Writer, organization: TestOrganization): Promise<void> {
  const { token } = organization;
  const findFirst = async (path: string): Promise<string> => {
    const { items } = await json<{ items: { id: string }[] }>(path, { token });
    return items[0]?.id ?? '';
  };
  const notificationId = await findFirst('/v1/user/notifications');
  await writer.send('updateNotification', { notificationId }, { body: { read: true } });
  await writer.send('readAllNotifications', {});
  await writer.send('updateNotificationPreferences', {}, { body: { kinds: { merged: 'digest' } } });
  const { id: space } = await platform().makeSpace({ organization });
  await writer.send('addRecent', {}, { body: { space } });
  await writer.send('addFavorite', {}, { body: { space } });
  const favoriteId = await findFirst('/v1/user/favorites');
  await writer.send('moveFavorite', { favoriteId }, { body: { at: 0 } });
  await writer.send('deleteFavorite', { favoriteId });
}

/** Calls all write operations of an organization outside of parts 1 and 2. */
export async function writeOrganization(writer: Writer, organization: TestOrganization): Promise<void> {
  await writeContent(writer, organization);
  await writePeople(writer, organization);
  await writePermissions(writer, organization);
  await writeTranslations(writer, organization);
  await writeSynonyms(writer, organization);
  await writeReviews(writer, organization);
  await writeBookmarksAndNotifications(writer, organization);
}

import {
  ChangeRequestReviewStatus,
  ChangeRequestStatus,
  ContentType,
  GitBookAPI,
  ImportContentSource,
} from '@gitbook/api';
import { expect, test } from 'vitest';
import { serveLocally } from '../support/local-server.ts';
import { makeMember } from '../support/people.ts';
import { platform } from '../support/platform.ts';

const getClient = (authToken: string) => new GitBookAPI({ endpoint: platform().url, authToken });

test('two people review and merge a change with the unmodified client', async () => {
  const organization = await platform().makeOrganization();
  const { user: annId, token: annToken } = await makeMember(organization, 'create');
  const { user: benId, token: benToken } = await makeMember(organization, 'review');
  const [ann, ben] = [getClient(annToken), getClient(benToken)];
  const { data: space } = await ann.orgs.createSpace(organization.id, { title: 'Handbook' });

  const source = await serveLocally((_, response) =>
    response.setHeader('content-type', 'text/markdown').end('# Guide\n\nInstall the tool first.\n\nThen run it.\n'),
  );
  const { data: change } = await ann.spaces.createChangeRequest(space.id, { subject: 'A guide' });
  const at = [space.id, change.id] as const;
  const { data: imported } = await ann.spaces.importContentInChangeRequest(...at, {
    url: `${source}/guide.md`,
    source: ImportContentSource.Markdown,
  });
  expect(imported).toMatchObject({ importedResources: 1, totalResources: 1 });
  const { data: tree } = await ann.spaces.listPagesInChangeRequest(...at);
  const page = tree.pages[0]?.id ?? '';
  const batch = (changes: object[]) =>
    ann.request({
      path: `/spaces/${space.id}/change-requests/${change.id}/content`,
      method: 'POST',
      body: { changes },
      type: ContentType.Json,
      secure: true,
    });
  await batch([{ operation: 'insert_page', title: 'Faq', document: { markdown: 'Ask Ann.\n' } }]);
  const { data: changes } = await ann.spaces.getChangeRequestChanges(...at);
  expect(changes.changes.map(({ type }) => type)).toEqual(['page_created', 'page_created']);

  const { data: asked } = await ann.spaces.requestReviewersForChangeRequest(...at, { users: [benId] });
  expect(asked.users).toMatchObject([{ kind: 'user', user: { id: benId }, requestedBy: { id: annId } }]);
  const { data: changeRequests } = await ben.spaces.listChangeRequestsForSpace(space.id);
  expect(changeRequests.items).toMatchObject([{ id: change.id, status: ChangeRequestStatus.Open }]);

  const { data: read } = await ben.spaces.getPageInChangeRequestById(...at, page, { format: 'document' });
  const nodes = (read as { document: { nodes: { key: string }[] } }).document.nodes;
  const node = nodes.find((each) => JSON.stringify(each).includes('Install'))?.key ?? '';
  const { data: comment } = await ben.spaces.postCommentInChangeRequest(...at, {
    page,
    node,
    body: { markdown: 'Which version?' },
  });
  expect(comment.target).toMatchObject({ page: { id: page }, node: { id: node, preview: 'Install the tool first.' } });
  const { data: wanted } = await ben.spaces.submitChangeRequestReview(...at, {
    status: ChangeRequestReviewStatus.ChangesRequested,
    comment: { markdown: 'Say which version.' },
  });
  expect(wanted).toMatchObject({ object: 'change-request-review', requestedBy: { id: annId } });

  const { data: reply } = await ann.spaces.postCommentReplyInChangeRequest(...at, comment.id, {
    body: { markdown: 'Version 2.' },
  });
  const { data: reacted } = await ben.spaces.updateCommentReplyInChangeRequest(...at, comment.id, reply.id, {
    addedReactions: ['👍'],
  });
  expect(reacted.reactions).toMatchObject([{ emoji: '👍', count: 1 }]);
  const markdown = '# Guide\n\nInstall version 2 of the tool first.\n\nThen run it.\n';
  await batch([{ operation: 'update_page', page, document: { markdown } }]);

  await ben.spaces.submitChangeRequestReview(...at, { status: ChangeRequestReviewStatus.Approved });
  const { data: resolved } = await ben.spaces.updateCommentInChangeRequest(...at, comment.id, { resolved: true });
  expect(resolved).toMatchObject({ status: 'resolved', resolvedBy: { id: benId }, replies: 1 });
  const { data: merged } = await ben.spaces.mergeChangeRequest(...at);
  expect(merged).toMatchObject({ result: 'merge' });

  const { data: live } = await ann.spaces.getPageById(space.id, page, { format: 'markdown' });
  expect(live).toMatchObject({ markdown });
  const { data: contributors } = await ann.spaces.getContributorsByChangeRequestId(...at);
  expect(contributors.items.map(({ user }) => user.id)).toEqual(expect.arrayContaining([annId, benId]));
});

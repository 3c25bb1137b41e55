import { expect } from 'vitest';
import { json, makeChangeRequest } from '../support/content.ts';
import { serveLocally } from '../support/local-server.ts';
import { makeMember } from '../support/people.ts';
import { platform } from '../support/platform.ts';

interface Item {
  id: string;
  status: string;
  count: number;
  items: Item[];
}

const guide = '# Guide\n\nInstall the tool first.\n\nThen run it.\n';
const mended = '# Guide\n\nInstall version 2 of the tool first.\n\nThen run it.\n';

/** Returns the key of the block that contains these words. */
async function findBlockKey(words: string, page: string, token: string): Promise<string> {
  const { document } = await json<{ document: { nodes: { key: string }[] } }>(`${page}?format=document`, { token });
  const found = document.nodes.find((node) => JSON.stringify(node).includes(words));
  if (found === undefined) throw new Error(`No block holds "${words}".`);
  return found.key;
}

/** Two people import, propose, discuss, review, fix, approve and merge. */
export async function reviewTogether(): Promise<void> {
  const { makeOrganization, makeSpace, request } = platform();
  const organization = await makeOrganization();
  const ann = await makeMember(organization, 'edit');
  const ben = await makeMember(organization, 'review');
  const space = await makeSpace({ organization });
  const rules = { type: 'rules', rules: [{ rule: 'require_at_least_one_approved_review' }] };
  const { token: admin } = organization;
  await json(`/v1/spaces/${space.id}`, { token: admin, method: 'PATCH', body: { mergeRules: rules } });

  // Ann imports a page into a change request, and edits it together with another page in one batch.
  const { id, number } = await makeChangeRequest({ id: space.id, token: ann.token }, 'A guide');
  const base = `/v1/spaces/${space.id}/change-requests/${id}`;
  const source = await serveLocally((_, response) =>
    response.setHeader('content-type', 'text/markdown').end('# Guide\n\nWords to come.\n'),
  );
  const body = { source: 'markdown', url: `${source}/guide.md` };
  const imported = await json<{ importedResources: number }>(`${base}/content/import`, { token: ann.token, body });
  expect(imported).toMatchObject({ importedResources: 1, totalResources: 1 });
  const { pages } = await json<{ pages: { id: string; title: string }[] }>(`${base}/content/pages`, ann);
  expect(pages.map(({ title }) => title)).toEqual(['Guide']);
  const page = pages[0]?.id ?? '';
  const write = (markdown: string) => ({ operation: 'update_page', page, document: { markdown } });
  const more = { operation: 'insert_page', title: 'Faq', document: { markdown: 'Ask Ann.\n' } };
  await json(`${base}/content`, { token: ann.token, body: { changes: [write(guide), more] } });

  // She requests Ben's review, which opens the change request. Ben finds it, comments on a block and requests changes.
  const asked = { users: [ben.user], subject: 'A guide for all' };
  await json(`${base}/requested-reviewers`, { token: ann.token, body: asked });
  const mine = await json<Item>(`/v1/orgs/${organization.id}/change-requests?requestedReviewer=${ben.user}`, ben);
  expect(mine.items).toMatchObject([{ id, status: 'open', subject: 'A guide for all', outdated: false }]);
  const node = await findBlockKey('Install', `${base}/content/page/${page}`, ben.token);
  const remark = { page, node, body: { markdown: `Which version, @${ann.user}?` } };
  const comment = await json<Item>(`${base}/comments`, { token: ben.token, body: remark });
  expect(comment).toMatchObject({
    status: 'open',
    target: { page: { id: page, outdated: false }, node: { id: node, preview: 'Install the tool first.' } },
  });
  const expected = { status: 'changes-requested', comment: { markdown: 'Say which version.' } };
  await json(`${base}/reviews`, { token: ben.token, body: expected });
  expect(await json<Item>(`${base}/requested-reviewers`, ben)).toMatchObject({ count: 0 });
  const refusedResponse = await request(`${base}/merge`, { token: ben.token, method: 'POST' });
  expect(refusedResponse.status).toBe(412);
  expect(await refusedResponse.text()).toContain('require_at_least_one_approved_review');

  // Ann replies, Ben reacts, Ann fixes the text.
  const thread = `${base}/comments/${comment.id}`;
  const answer = { body: { markdown: 'Version 2, I say so now.' } };
  const reply = await json<Item>(`${thread}/replies`, { token: ann.token, body: answer });
  const thumb = { addedReactions: ['👍'] };
  const reacted = await json(`${thread}/replies/${reply.id}`, { token: ben.token, method: 'PUT', body: thumb });
  expect(reacted).toMatchObject({ reactions: [{ emoji: '👍', count: 1, users: [{ user: { id: ben.user } }] }] });
  await json(`${base}/content`, { token: ann.token, body: { changes: [write(mended)] } });
  expect(await json(thread, ben)).toMatchObject({
    replies: 1,
    target: { page: { outdated: false }, node: { preview: 'Install version 2 of the tool first.' } },
  });

  // Ben approves, resolves his comment and merges. The counters are correct.
  await json(`${base}/reviews`, { token: ben.token, body: { status: 'approved' } });
  const reviews = await json<Item>(`${base}/reviews`, ann);
  expect(reviews.items).toMatchObject([
    { status: 'approved', outdated: false, reviewer: { id: ben.user } },
    { status: 'changes-requested', outdated: true, comment: { body: { markdown: 'Say which version.' } } },
  ]);
  await json(thread, { token: ben.token, method: 'PUT', body: { resolved: true } });
  const merged = await json(`${base}/merge`, { token: ben.token, method: 'POST' });
  expect(merged).toMatchObject({ result: 'merge' });
  const done = await json(`/v1/spaces/${space.id}/change-requests/${number}`, ann);
  expect(done).toMatchObject({ status: 'merged', mergedBy: { id: ben.user }, comments: 1 });
  const live = await json(`/v1/spaces/${space.id}/content/page/${page}`, ann);
  expect(live).toMatchObject({ markdown: mended });
  const audit = await json<Item>(`/v1/orgs/${organization.id}/audit-events?limit=50`, { token: admin });
  expect(audit.items).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ action: 'change_request.merged', actor: expect.objectContaining({ id: ben.user }) }),
      expect.objectContaining({ action: 'comment.created', target: expect.objectContaining({ id: comment.id }) }),
    ]),
  );
}

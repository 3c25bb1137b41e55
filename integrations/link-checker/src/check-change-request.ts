import { ApiRefusal, at, type IntegrationApi, type IntegrationContext } from '@octavo/integration';
import type { ChangeRequest, Comment, LinkItem, SemanticChanges, User } from '@octavo/schema';

const longestMilliseconds = 4000;
/** Statuses of a HEAD request after which a GET request may still succeed. */
const retryWithGetStatuses = new Set([400, 403, 404, 405, 501]);
/** Statuses that do not prove a broken link: access is denied or the rate is limited. */
const inconclusive = new Set([401, 403, 407, 408, 425, 429, 451]);

/** Returns why a link is broken; undefined if it may work. */
async function findLinkFault(address: string): Promise<string | undefined> {
  const head = await requestStatus(address, 'HEAD');
  const status =
    typeof head === 'number' && retryWithGetStatuses.has(head) ? await requestStatus(address, 'GET') : head;
  if (typeof status === 'string') return status;
  return status < 400 || inconclusive.has(status) || status >= 500 ? undefined : `it returns ${status}`;
}

async function requestStatus(address: string, method: 'HEAD' | 'GET'): Promise<number | string> {
  try {
    const response = await fetch(address, { method, signal: AbortSignal.timeout(longestMilliseconds) });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    return error instanceof DOMException && error.name === 'TimeoutError'
      ? 'it does not respond in time'
      : 'it could not be reached';
  }
}

/** Limits of one run, so that it ends in time. */
const maxPages = 20;
const maxLinksOfPage = 100;
const maxAddresses = 40;
const atOnce = 6;

interface BrokenLink {
  /** The title of the page with the link. */
  page: string;
  target: string;
  reason: string;
}

interface CheckedLinks {
  broken: BrokenLink[];
  /** Number of links to other sites that were not checked. */
  untried: number;
}

interface PageLink {
  page: string;
  link: LinkItem;
}

/** Finds broken links in the pages that a change request adds or edits. */
async function findBrokenLinks(api: IntegrationApi, path: string, tryOthers: boolean): Promise<CheckedLinks> {
  const links = await findLinks(api, path);
  const internal = links.filter(({ link }) => link.status === 'broken');
  const others = new Map(tryOthers ? links.flatMap((each) => toExternalLink(each)) : []);
  const tried = [...others].slice(0, maxAddresses);
  const outcomes = await mapInOrder(tried, async ([address, page]) => ({
    page,
    target: address,
    reason: await findLinkFault(address),
  }));
  return {
    broken: [
      ...internal.map(({ page, link }) => ({ page, target: link.target, reason: 'it does not exist' })),
      ...outcomes.flatMap(({ reason, ...place }) => (reason === undefined ? [] : [{ ...place, reason }])),
    ],
    untried: others.size - tried.length,
  };
}

async function findLinks(api: IntegrationApi, path: string): Promise<PageLink[]> {
  const { changes } = await api.get<SemanticChanges>(`${path}/changes`, { limit: '100' });
  const pages = changes.flatMap((change) =>
    change.type === 'page_created' || change.type === 'page_edited' ? [change.page] : [],
  );
  const brokenLinks = await mapInOrder(pages.slice(0, maxPages), async ({ id, title }) => {
    const query = { limit: String(maxLinksOfPage) };
    const { items } = await api.get<{ items: LinkItem[] }>(`${path}${at`/content/page/${id}/links`}`, query);
    return items.map((link) => ({ page: title, link }));
  });
  return brokenLinks.flat();
}

/** Returns the URL of an external link, without its fragment, together with the page that contains the link. */
function toExternalLink({ page, link }: PageLink): [string, string][] {
  if (link.targetReference?.kind !== 'url' || !URL.canParse(link.targetReference.url)) return [];
  const address = new URL(link.targetReference.url);
  address.hash = '';
  return /^https?:$/.test(address.protocol) ? [[address.href, page]] : [];
}

async function mapInOrder<Input, Output>(inputs: Input[], work: (input: Input) => Promise<Output>): Promise<Output[]> {
  const outputs: Output[] = [];
  for (let first = 0; first < inputs.length; first += atOnce)
    outputs.push(...(await Promise.all(inputs.slice(first, first + atOnce).map(work))));
  return outputs;
}

const checkedRevision = /\nChecked: `([^`]+)`$/;

/** Finds the previous comment of the integration on a change request. */
async function findOwnComment(api: IntegrationApi, path: string): Promise<Comment | undefined> {
  const { id } = await api.get<User>('/user');
  const query = { authors: id, format: 'markdown', limit: '10' };
  const { items } = await api.get<{ items: Comment[] }>(`${path}/comments`, query);
  return items.find(({ body }) => checkedRevision.test(body.markdown ?? ''));
}

/** Whether a comment is already about this revision. */
const isAboutRevision = ({ body }: Comment, revision: string): boolean =>
  checkedRevision.exec(body.markdown ?? '')?.[1] === revision;

/** Formats a text as inline code. The text may contain backticks. */
function toInlineCode(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return `${fence}${space}${line}${space}${fence}`;
}

/** Returns the text of the comment. */
function getText({ broken, untried }: CheckedLinks, revision: string): string {
  const lines = broken.map(
    ({ page, target, reason }) => `* ${toInlineCode(target)} in ${toInlineCode(page)}: ${reason}`,
  );
  const first = lines.length === 0 ? 'All links work now.' : 'These links are broken:';
  const rest = untried > 0 ? [`${untried} more links were not checked, because there are too many.`] : [];
  return [first, ...(lines.length > 0 ? [lines.join('\n')] : []), ...rest, `Checked: \`${revision}\``].join('\n\n');
}

interface RevisionEvent {
  spaceId?: string;
  changeRequest: string;
}

/**
 * Checks the pages that a change request changes, and posts a comment about broken links. Each revision is checked
 * once.
 */
export async function checkChangeRequest(event: RevisionEvent, context: IntegrationContext): Promise<void> {
  const { api } = context;
  const path = at`/spaces/${event.spaceId ?? ''}/change-requests/${event.changeRequest}`;
  const changeRequest = await ignoreFailure(api.get<ChangeRequest>(path));
  if (changeRequest === undefined || !['draft', 'open'].includes(changeRequest.status)) return;

  const comment = await findOwnComment(api, path);
  if (comment !== undefined && isAboutRevision(comment, changeRequest.revision)) return;
  const tryOthers = context.environment.installation?.configuration.external !== false;
  const checkedLinks = await findBrokenLinks(api, path, tryOthers);
  if (comment === undefined && checkedLinks.broken.length === 0) return;

  const body = { markdown: getText(checkedLinks, changeRequest.revision) };
  if (comment === undefined) await api.send('POST', `${path}/comments`, { body });
  else await api.send('PUT', `${path}${at`/comments/${comment.id}`}`, { body });
}

/**
 * Returns the result of a request, or undefined for objects that were deleted or are not visible, such as the branch of
 * an import.
 */
const ignoreFailure = <Value>(asked: Promise<Value>): Promise<Value | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof ApiRefusal && error.status === 404) return undefined;
    throw error;
  });

import { at, defineIntegration, type IntegrationContext, Refusal } from '@octavo/integration';
import type { ChangeRequest, Comment, CommentReply } from '@octavo/schema';

const longestTitle = 200;
const longestQuote = 500;

/** A message with one line and optionally a user's text, which is quoted below the line. */
interface Message {
  line: string;
  quote?: string;
}

const truncate = (written: string, longest: number): string => {
  const characters = Array.from(written);
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : written;
};

/** Escapes the three characters with which user text could mention a channel or forge a link. */
const escapeText = (written: string): string =>
  written.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Formats a title or name on one line. */
const formatTitle = (written: string): string =>
  escapeText(truncate(written.replace(/\s+/g, ' ').trim(), longestTitle));

/** Formats a link. Characters that would end its text or its URL early are replaced. */
const formatLink = (address: string, written: string): string =>
  `<${address.replace(/[<>|\s]/g, encodeURIComponent)}|${formatTitle(written.replaceAll('|', '¦'))}>`;

/** Formats a text of a user as a quote, line by line. */
const formatQuote = (written: string): string =>
  escapeText(truncate(written.trim(), longestQuote))
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');

const longestMilliseconds = 5000;

/** Posts a message. It is sent again after a temporary failure, but not if the receiver rejects it. */
async function post(address: string, { line, quote }: Message): Promise<void> {
  const body = JSON.stringify({
    text: quote === undefined ? line : `${line}\n${quote}`,
    unfurl_links: false,
    unfurl_media: false,
  });
  const response = await sendRequest(address, body);
  await response.body?.cancel();
  if (response.ok) return;
  const isForGood = response.status >= 400 && response.status < 500 && ![408, 429].includes(response.status);
  throw new Refusal(`The webhook returned ${response.status}.`, isForGood ? 400 : 502);
}

/** The URL is a secret, so errors that could contain it are not passed on. */
async function sendRequest(address: string, body: string): Promise<Response> {
  const signal = AbortSignal.timeout(longestMilliseconds);
  const headers = { 'content-type': 'application/json' };
  try {
    return await fetch(address, { method: 'POST', headers, body, signal, redirect: 'manual' });
  } catch {
    throw new Refusal('The webhook could not be reached.', 502);
  }
}

/** Kinds of notifications that an installation can turn off. A kind that is not set is on. */
type Choice = 'change_requests' | 'merges' | 'comments';

interface NotifiedEvent {
  spaceId?: string;
  changeRequest?: string | undefined;
}

export default defineIntegration({
  events: {
    'change_request.created': (event, context) =>
      notify(context, 'change_requests', async () => {
        const { createdBy, ...changeRequest } = await getChangeRequest(event, context);
        return { line: `${formatTitle(createdBy.displayName)} opened ${getTitle(changeRequest)}` };
      }),
    'change_request.merged': (event, context) =>
      notify(context, 'merges', async () => {
        const { mergedBy, createdBy, ...changeRequest } = await getChangeRequest(event, context);
        return { line: `${formatTitle((mergedBy ?? createdBy).displayName)} merged ${getTitle(changeRequest)}` };
      }),
    'comment.created': (event, context) =>
      notify(context, 'comments', async () => {
        const path = getCommentPath(event, event.comment);
        const { postedBy, body } = await context.api.get<Comment>(path, { format: 'markdown' });
        return {
          line: `${formatTitle(postedBy.displayName)} commented${await formatLocation(event, context)}`,
          quote: formatQuote(body.markdown ?? ''),
        };
      }),
    'comment_reply.created': (event, context) =>
      notify(context, 'comments', async () => {
        const path = `${getCommentPath(event, event.comment)}${at`/replies/${event.reply}`}`;
        const { postedBy, body } = await context.api.get<CommentReply>(path, { format: 'markdown' });
        return {
          line: `${formatTitle(postedBy.displayName)} replied${await formatLocation(event, context)}`,
          quote: formatQuote(body.markdown ?? ''),
        };
      }),
  },
});

async function notify(context: IntegrationContext, choice: Choice, write: () => Promise<Message>): Promise<void> {
  const configuration = context.environment.installation?.configuration ?? {};
  if (configuration[choice] === false) return;
  const address = configuration.webhook_url;
  if (typeof address !== 'string') throw new Refusal('The URL of the webhook is not configured yet.', 409);
  await post(address, await write());
}

const getChangeRequest = (event: NotifiedEvent, { api }: IntegrationContext): Promise<ChangeRequest> =>
  api.get(at`/spaces/${event.spaceId ?? ''}/change-requests/${event.changeRequest ?? ''}`);

const getTitle = ({ subject, number, urls }: Pick<ChangeRequest, 'subject' | 'number' | 'urls'>): string =>
  formatLink(urls.app, `#${number} ${subject || 'No subject'}`);

/**
 * Returns text that links to the change request of a comment. Comments on live content have no URL, so their text is
 * empty.
 */
const formatLocation = async (event: NotifiedEvent, context: IntegrationContext): Promise<string> =>
  event.changeRequest === undefined ? '' : ` on ${getTitle(await getChangeRequest(event, context))}`;

const getCommentPath = ({ spaceId = '', changeRequest }: NotifiedEvent, comment: string): string =>
  changeRequest === undefined
    ? at`/spaces/${spaceId}/comments/${comment}`
    : at`/spaces/${spaceId}/change-requests/${changeRequest}/comments/${comment}`;

import { at, defineIntegration, type IntegrationContext, Refusal } from '@octavo/integration';
import type { ChangeRequest, Comment, CommentReply } from '@octavo/schema';

const longestTitle = 200;
const longestQuote = 500;

/** What is posted: a line, and what somebody wrote below it. */
interface Message {
  line: string;
  quote?: string;
}

const shortened = (written: string, longest: number): string => {
  const characters = Array.from(written);
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : written;
};

/** Text of others as it is meant: the three characters by which a channel would be mentioned, or a link be forged. */
const escaped = (written: string): string =>
  written.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A title or a name, on one line. */
const text = (written: string): string => escaped(shortened(written.replace(/\s+/g, ' ').trim(), longestTitle));

/** A link, whose text ends at no bar and whose address at none of the marks around it. */
const link = (address: string, written: string): string =>
  `<${address.replace(/[<>|\s]/g, encodeURIComponent)}|${text(written.replaceAll('|', '¦'))}>`;

/** What somebody wrote, marked as theirs line by line. */
const quote = (written: string): string =>
  escaped(shortened(written.trim(), longestQuote))
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');

const longestMilliseconds = 5000;

/** Posts a message. What the receiver refuses for good is not to be sent again, what it fails at is. */
async function post(address: string, { line, quote }: Message): Promise<void> {
  const body = JSON.stringify({
    text: quote === undefined ? line : `${line}\n${quote}`,
    unfurl_links: false,
    unfurl_media: false,
  });
  const response = await send(address, body);
  await response.body?.cancel();
  if (response.ok) return;
  const isForGood = response.status >= 400 && response.status < 500 && ![408, 429].includes(response.status);
  throw new Refusal(`The webhook returned ${response.status}.`, isForGood ? 400 : 502);
}

/** The address is a secret, so no error of it is passed on, which could name it. */
async function send(address: string, body: string): Promise<Response> {
  const signal = AbortSignal.timeout(longestMilliseconds);
  const headers = { 'content-type': 'application/json' };
  try {
    return await fetch(address, { method: 'POST', headers, body, signal, redirect: 'manual' });
  } catch {
    throw new Refusal('The webhook could not be reached.', 502);
  }
}

/** What an installation may switch off: a choice that was never made counts as yes. */
type Choice = 'change_requests' | 'merges' | 'comments';

interface Told {
  spaceId?: string;
  changeRequest?: string | undefined;
}

export default defineIntegration({
  events: {
    'change_request.created': (event, context) =>
      tell(context, 'change_requests', async () => {
        const { createdBy, ...changeRequest } = await getChangeRequest(event, context);
        return { line: `${text(createdBy.displayName)} opened ${getTitle(changeRequest)}` };
      }),
    'change_request.merged': (event, context) =>
      tell(context, 'merges', async () => {
        const { mergedBy, createdBy, ...changeRequest } = await getChangeRequest(event, context);
        return { line: `${text((mergedBy ?? createdBy).displayName)} merged ${getTitle(changeRequest)}` };
      }),
    'comment.created': (event, context) =>
      tell(context, 'comments', async () => {
        const path = commentPath(event, event.comment);
        const { postedBy, body } = await context.api.get<Comment>(path, { format: 'markdown' });
        return {
          line: `${text(postedBy.displayName)} commented${await where(event, context)}`,
          quote: quote(body.markdown ?? ''),
        };
      }),
    'comment_reply.created': (event, context) =>
      tell(context, 'comments', async () => {
        const path = `${commentPath(event, event.comment)}${at`/replies/${event.reply}`}`;
        const { postedBy, body } = await context.api.get<CommentReply>(path, { format: 'markdown' });
        return {
          line: `${text(postedBy.displayName)} replied${await where(event, context)}`,
          quote: quote(body.markdown ?? ''),
        };
      }),
  },
});

async function tell(context: IntegrationContext, choice: Choice, write: () => Promise<Message>): Promise<void> {
  const configuration = context.environment.installation?.configuration ?? {};
  if (configuration[choice] === false) return;
  const address = configuration.webhook_url;
  if (typeof address !== 'string') throw new Refusal('The URL of the webhook is not configured yet.', 409);
  await post(address, await write());
}

const getChangeRequest = (told: Told, { api }: IntegrationContext): Promise<ChangeRequest> =>
  api.get(at`/spaces/${told.spaceId ?? ''}/change-requests/${told.changeRequest ?? ''}`);

const getTitle = ({ subject, number, urls }: Pick<ChangeRequest, 'subject' | 'number' | 'urls'>): string =>
  link(urls.app, `#${number} ${subject || 'No subject'}`);

/** Of a comment on a change request, which one that is; one on live content has no address of its own. */
const where = async (told: Told, context: IntegrationContext): Promise<string> =>
  told.changeRequest === undefined ? '' : ` on ${getTitle(await getChangeRequest(told, context))}`;

const commentPath = ({ spaceId = '', changeRequest }: Told, comment: string): string =>
  changeRequest === undefined
    ? at`/spaces/${spaceId}/comments/${comment}`
    : at`/spaces/${spaceId}/change-requests/${changeRequest}/comments/${comment}`;

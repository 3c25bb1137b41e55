import { at, defineIntegration, type IntegrationContext, Refusal } from '@octavo/integration';
import type { ChangeRequest, Comment, CommentReply } from '@octavo/schema';
import { link, type Message, quote, text } from './message.ts';
import { post } from './post.ts';

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
        const { createdBy, ...changeRequest } = await changeRequestOf(event, context);
        return { line: `${text(createdBy.displayName)} opened ${titleOf(changeRequest)}` };
      }),
    'change_request.merged': (event, context) =>
      tell(context, 'merges', async () => {
        const { mergedBy, createdBy, ...changeRequest } = await changeRequestOf(event, context);
        return { line: `${text((mergedBy ?? createdBy).displayName)} merged ${titleOf(changeRequest)}` };
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
  if (typeof address !== 'string') throw new Refusal('The address of the webhook is not configured yet.', 409);
  await post(address, await write());
}

const changeRequestOf = (told: Told, { api }: IntegrationContext): Promise<ChangeRequest> =>
  api.get(at`/spaces/${told.spaceId ?? ''}/change-requests/${told.changeRequest ?? ''}`);

const titleOf = ({ subject, number, urls }: Pick<ChangeRequest, 'subject' | 'number' | 'urls'>): string =>
  link(urls.app, `#${number} ${subject || 'No subject'}`);

/** Of a comment on a change request, which one that is; one on live content has no address of its own. */
const where = async (told: Told, context: IntegrationContext): Promise<string> =>
  told.changeRequest === undefined ? '' : ` on ${titleOf(await changeRequestOf(told, context))}`;

const commentPath = ({ spaceId = '', changeRequest }: Told, comment: string): string =>
  changeRequest === undefined
    ? at`/spaces/${spaceId}/comments/${comment}`
    : at`/spaces/${spaceId}/change-requests/${changeRequest}/comments/${comment}`;

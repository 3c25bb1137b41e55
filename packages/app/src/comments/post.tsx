import type { Comment, CommentReply, Reaction } from '@octavo/schema';
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { api, get } from '../api.ts';
import { useUser } from '../session.ts';
import { Avatar } from '../ui/avatar.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { notifyError } from '../ui/notice.tsx';
import { RelativeTime } from '../ui/time.tsx';
import { CommentForm } from './comment-form.tsx';
import type { PostChange } from './discussion.ts';
import { findMentionedIds, type Person, toDraft } from './mentions.ts';
import { getUserName, useNames } from './names.ts';
import { PostBody } from './post-body.tsx';
import { type DraftTarget, readDraft } from './typed-drafts.ts';

interface PostProps {
  post: Comment | CommentReply;
  /** The API path of the comment or reply. */
  path: string;
  organization: string | undefined;
  /** Reads the list again after a change. */
  reload: () => Promise<void>;
}

/** A comment or a reply with its author and the actions that the user may take on it. */
export function Post({ post, path, organization, reload }: PostProps): VNode {
  const target = { path, form: 'edit' } as const;
  const [draft, setDraft] = useState<string | undefined>(() => readDraft(target)?.text);
  const { postedBy, postedAt, editedAt, body } = post;
  const change = async (changes: PostChange): Promise<void> => {
    await api('PUT', path, { body: changes });
    await reload();
  };
  const name = getUserName(postedBy);
  const { value: user } = useUser();
  const isMine = ({ users }: Reaction): boolean => users.some((each) => each.user.id === user?.id);
  const toggle = (emoji: string): void => {
    const mine = post.reactions.some((each) => each.emoji === emoji && isMine(each));
    change(mine ? { removedReactions: [emoji] } : { addedReactions: [emoji] }).catch(notifyError);
  };
  return (
    <div class="post">
      <header>
        <Avatar name={name} photo={postedBy.photoURL} />
        <strong class="grow">{name}</strong>
        <small>
          <RelativeTime time={postedAt} />
          {editedAt !== undefined && ' (edited)'}
        </small>
        {post.permissions.react && <ReactionMenu toggle={toggle} />}
        <PostMenu post={post} path={path} reload={reload} edit={setDraft} />
      </header>
      {draft === undefined ? (
        <PostBody body={body} organization={organization} />
      ) : (
        <EditForm
          target={target}
          markdown={draft}
          organization={organization}
          change={change}
          close={() => setDraft(undefined)}
        />
      )}
      {post.reactions.length > 0 && (
        <Reactions reactions={post.reactions} canReact={post.permissions.react} isMine={isMine} toggle={toggle} />
      )}
    </div>
  );
}

interface EditFormProps {
  target: DraftTarget;
  markdown: string;
  organization: string | undefined;
  change: (changes: PostChange) => Promise<void>;
  close: () => void;
}

function EditForm({ target, markdown, organization, change, close }: EditFormProps): VNode {
  const names = useNames(organization, findMentionedIds(markdown));
  const isChanged = useRef(false);
  const shownCount = useRef(names.size);
  // Show names that load later, until the user types: showing them then would discard the typed text.
  if (!isChanged.current) shownCount.current = names.size;
  const people = [...names].map(([id, name]): Person => ({ id, name }));
  const save = async (text: string): Promise<void> => {
    await change({ body: { markdown: text } });
    close();
  };
  return (
    <CommentForm
      key={shownCount.current}
      target={target}
      label="Edit comment"
      submit="Save"
      organization={organization}
      initial={{ ...toDraft(markdown, names), people }}
      isFocused
      onChange={() => {
        isChanged.current = true;
      }}
      onSubmit={save}
      onCancel={close}
    />
  );
}

type PostMenuProps = Pick<PostProps, 'post' | 'path' | 'reload'> & { edit: (markdown: string) => void };

function PostMenu({ post, path, reload, edit }: PostMenuProps): VNode | null {
  const [isDeleting, setDeleting] = useState(false);
  const startEdit = async (): Promise<void> => {
    try {
      const { body } = await get<Comment | CommentReply>(path, { format: 'markdown' });
      edit(body.markdown ?? '');
    } catch (error) {
      notifyError(error);
    }
  };
  const remove = async (): Promise<void> => {
    await api('DELETE', path);
    await reload();
  };
  const items: MenuItem[] = [
    ...(post.permissions.edit ? [{ label: 'Edit', icon: 'edit', onSelect: startEdit } as const] : []),
    ...(post.permissions.delete
      ? [{ label: 'Delete', icon: 'trash', onSelect: () => setDeleting(true), isDanger: true } as const]
      : []),
  ];
  if (items.length === 0) return null;
  const isComment = post.object === 'comment';
  return (
    <>
      <Menu
        class="icon-button"
        label={isComment ? 'Actions for this comment' : 'Actions for this reply'}
        items={items}
        align="end"
      >
        <UiIcon name="more" />
      </Menu>
      {isDeleting && (
        <ConfirmDialog
          title={isComment ? 'Delete comment' : 'Delete reply'}
          text={isComment ? 'The comment and all its replies are deleted.' : 'The reply is deleted.'}
          submit="Delete"
          onConfirm={remove}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}

/** Emoji that are offered. The API accepts all emoji. */
const offered: Record<string, string> = {
  '👍': 'Thumbs up',
  '❤️': 'Heart',
  '🎉': 'Celebration',
  '😄': 'Laughing',
  '👀': 'Eyes',
  '🚀': 'Rocket',
};

interface ReactionsProps {
  reactions: Reaction[];
  canReact: boolean;
  isMine: (reaction: Reaction) => boolean;
  toggle: (emoji: string) => void;
}

const Reactions = ({ reactions, canReact, isMine, toggle }: ReactionsProps): VNode => (
  <div class="reactions">
    {reactions.map((reaction) => (
      <button
        key={reaction.emoji}
        type="button"
        class="reaction"
        aria-pressed={isMine(reaction)}
        disabled={!canReact}
        title={reaction.users.map((each) => getUserName(each.user)).join(', ')}
        onClick={() => toggle(reaction.emoji)}
      >
        {reaction.emoji} {reaction.count}
      </button>
    ))}
  </div>
);

function ReactionMenu({ toggle }: Pick<ReactionsProps, 'toggle'>): VNode {
  const items = Object.entries(offered).map(([emoji, name]) => ({
    label: `${emoji} ${name}`,
    onSelect: () => toggle(emoji),
  }));
  return (
    <Menu class="icon-button" label="Add a reaction" items={items} align="end">
      <UiIcon name="smile" />
    </Menu>
  );
}

import type { ShareLink } from '@octavo/schema';
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { api } from '../api.ts';
import { copyText } from '../ui/copy-text.ts';
import { ConfirmDialog, TextDialog } from '../ui/dialog.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { notifyError } from '../ui/notice.tsx';
import { LoadedContent } from '../ui/states.tsx';
import { useList } from '../use-api.ts';

/** The share links of a site. */
export function ShareLinkSection({ path }: { path: string }): VNode {
  const links = useList<ShareLink>(`${path}/share-links`);
  const [isCreating, setCreating] = useState(false);
  return (
    <section>
      <div class="section-head">
        <h2>Share links</h2>
        <button type="button" class="button" onClick={() => setCreating(true)}>
          New share link
        </button>
      </div>
      <LoadedContent loaded={links} lines={2}>
        {(all) =>
          all.length === 0 ? (
            <p class="muted">No share links. Until you create one, only previews show the site.</p>
          ) : (
            <ul class="rows">
              {all.map((link) => (
                <ShareLinkRow key={link.id} link={link} path={path} reload={links.reload} />
              ))}
            </ul>
          )
        }
      </LoadedContent>
      {isCreating && <NewShareLinkDialog path={path} reload={links.reload} onClose={() => setCreating(false)} />}
    </section>
  );
}

interface ShareLinkRowProps {
  link: ShareLink;
  path: string;
  reload: () => Promise<void>;
}

function ShareLinkRow({ link, path, reload }: ShareLinkRowProps): VNode {
  const [isDeleting, setDeleting] = useState(false);
  const linkPath = `${path}/share-links/${link.id}`;
  const name = link.name || 'Untitled link';
  const { published } = link.urls;
  const isActive = link.active !== false;
  const setActive = (active: boolean): void => {
    api('PATCH', linkPath, { body: { active } }).then(reload, notifyError);
  };
  const address = useRef<HTMLElement>(null);
  const copy = () => copyText(published ?? '', address.current, 'Link copied').catch(notifyError);
  const items: MenuItem[] = [
    { label: isActive ? 'Deactivate' : 'Activate', onSelect: () => setActive(!isActive) },
    { label: 'Delete', icon: 'trash', isDanger: true, onSelect: () => setDeleting(true) },
  ];
  return (
    <li>
      <div class="row">
        <UiIcon name="link" />
        <span class="grow">
          <span class="strong">{name}</span>
          {published !== undefined && (
            <small class="link-target" ref={address}>
              {published}
            </small>
          )}
        </span>
        {!isActive && <span class="label">Inactive</span>}
        {published !== undefined && (
          <button type="button" class="icon-button" aria-label={`Copy ${name}`} title="Copy" onClick={copy}>
            <UiIcon name="copy" />
          </button>
        )}
        <Menu class="icon-button" label={`Actions for ${name}`} align="end" items={items}>
          <UiIcon name="more" />
        </Menu>
      </div>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          text="The link stops working for everyone who has it."
          submit="Delete"
          onConfirm={() => api<void>('DELETE', linkPath).then(reload)}
          onClose={() => setDeleting(false)}
        />
      )}
    </li>
  );
}

interface NewShareLinkProps {
  path: string;
  reload: () => Promise<void>;
  onClose: () => void;
}

function NewShareLinkDialog({ path, reload, onClose }: NewShareLinkProps): VNode {
  const create = async (name: string): Promise<void> => {
    await api<ShareLink>('POST', `${path}/share-links`, { body: { name } });
    onClose();
    await reload();
  };
  return (
    <TextDialog
      title="New share link"
      submit="Create link"
      label="Name"
      hint="For example the group of people who receive the link."
      maxLength={50}
      onSubmit={create}
      onClose={onClose}
    />
  );
}

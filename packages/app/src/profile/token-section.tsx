import type { UserToken } from '@octavo/schema';
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { api } from '../api.ts';
import { copyText } from '../ui/copy-text.ts';
import { ActionForm, ConfirmDialog, Field, Modal, TextDialog } from '../ui/dialog.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { EmptyState, LoadedContent } from '../ui/states.tsx';
import { RelativeTime } from '../ui/time.tsx';
import { useList } from '../use-api.ts';

/** The API tokens of the user. */
export function TokenSection(): VNode {
  const tokens = useList<UserToken>('/user/tokens');
  const [isCreating, setCreating] = useState(false);
  return (
    <section>
      <div class="section-head">
        <h2>API tokens</h2>
        <button type="button" class="button" onClick={() => setCreating(true)}>
          <UiIcon name="plus" />
          New token
        </button>
      </div>
      <LoadedContent loaded={tokens}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState icon="key" title="No tokens">
              <p>Scripts and command-line tools use tokens to act on your behalf.</p>
            </EmptyState>
          ) : (
            <ul class="rows">
              {all.map((token) => (
                <TokenRow key={token.id} token={token} reload={tokens.reload} />
              ))}
            </ul>
          )
        }
      </LoadedContent>
      {isCreating && <NewTokenDialog reload={tokens.reload} onClose={() => setCreating(false)} />}
    </section>
  );
}

function TokenRow({ token, reload }: { token: UserToken; reload: () => Promise<void> }): VNode {
  const [isDeleting, setDeleting] = useState(false);
  const { id, label, createdAt, lastUsedAt } = token;
  const remove = async (): Promise<void> => {
    await api('DELETE', `/user/tokens/${id}`);
    setDeleting(false);
    await reload();
  };
  return (
    <li>
      <div class="row">
        <UiIcon name="key" />
        <span class="grow">
          <span class="strong">{label}</span>
          <small>
            {lastUsedAt === undefined ? 'Created ' : 'Last used '}
            <RelativeTime time={lastUsedAt ?? createdAt} />
          </small>
        </span>
        <button type="button" class="button" aria-label={`Delete the token ${label}`} onClick={() => setDeleting(true)}>
          Delete
        </button>
      </div>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete the token ${label}?`}
          text="Everything that uses this token stops working."
          submit="Delete"
          onConfirm={remove}
          onClose={() => setDeleting(false)}
        />
      )}
    </li>
  );
}

function NewTokenDialog({ reload, onClose }: { reload: () => Promise<void>; onClose: () => void }): VNode {
  const [secret, setSecret] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const create = async (label: string): Promise<void> => {
    const { token } = await api<{ token: string }>('POST', '/user/tokens', { body: { label } });
    setSecret(token);
    await reload();
  };
  if (secret !== undefined)
    return (
      <Modal title="Copy your token" onClose={onClose}>
        <ActionForm
          submit="Copy and close"
          onSubmit={async () => {
            await copyText(secret, input.current, 'Token copied');
            onClose();
          }}
        >
          <Field label="Token" hint="Copy it now, because it is not shown again. Store it like a password.">
            {(ids) => <input class="input" ref={input} {...ids} readOnly value={secret} />}
          </Field>
        </ActionForm>
      </Modal>
    );
  return (
    <TextDialog
      title="New token"
      submit="Create token"
      label="Label"
      hint="The token has all of your rights."
      maxLength={50}
      onSubmit={create}
      onClose={onClose}
    />
  );
}

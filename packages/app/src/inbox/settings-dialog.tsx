import type { NotificationDelivery, NotificationKind, NotificationPreferences } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { ActionForm, Field, Modal } from '../ui/dialog.tsx';
import { notify } from '../ui/notice.tsx';
import { LoadedContent } from '../ui/states.tsx';
import { useApi } from '../use-api.ts';

const kinds: [NotificationKind, string][] = [
  ['review-requested', 'You are asked for a review'],
  ['reviewed', 'Your change request is reviewed'],
  ['commented', 'A change request of yours gets a comment'],
  ['mentioned', 'You are mentioned'],
  ['replied', 'Your comment gets a reply'],
  ['merged', 'A change request of yours is merged'],
  ['conflict', 'A change request of yours has conflicts'],
];

const deliveries: [NotificationDelivery, string][] = [
  ['app', 'Inbox'],
  ['mail', 'Inbox and email'],
  ['digest', 'Inbox and daily email'],
  ['off', 'Off'],
];

const path = '/user/notification-preferences';

/** Chooses how the user is notified of each kind of event. */
export function SettingsDialog({ onClose }: { onClose: () => void }): VNode {
  const loaded = useApi<NotificationPreferences>(path);
  const [changes, setChanges] = useState<Partial<NotificationPreferences['kinds']>>({});
  const save = async (): Promise<void> => {
    await api('PATCH', path, { body: { kinds: changes } });
    notify('Settings saved');
    onClose();
  };
  return (
    <Modal title="Notification settings" onClose={onClose}>
      <LoadedContent loaded={loaded}>
        {(preferences) => (
          <ActionForm submit="Save" onSubmit={save} onCancel={onClose}>
            {kinds.map(([kind, label]) => (
              <Field key={kind} label={label}>
                {(ids) => (
                  <select
                    {...ids}
                    class="input"
                    value={changes[kind] ?? preferences.kinds[kind]}
                    onChange={(event) =>
                      setChanges({ ...changes, [kind]: event.currentTarget.value as NotificationDelivery })
                    }
                  >
                    {deliveries.map(([value, name]) => (
                      <option key={value} value={value}>
                        {name}
                      </option>
                    ))}
                  </select>
                )}
              </Field>
            ))}
          </ActionForm>
        )}
      </LoadedContent>
    </Modal>
  );
}

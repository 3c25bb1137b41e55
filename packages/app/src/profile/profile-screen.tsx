import type { User } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { useCurrentOrganization, useUser } from '../session.ts';
import { AppScreen } from '../shell/screen.tsx';
import { ActionForm, TextField } from '../ui/dialog.tsx';
import { ImageField } from '../ui/image-field.tsx';
import { notify } from '../ui/notice.tsx';
import { LoadedContent } from '../ui/states.tsx';
import { SessionSection } from './session-section.tsx';
import { TokenSection } from './token-section.tsx';

/** The name, the photo, the sessions and the tokens of the user. */
export function ProfileScreen(): VNode {
  const user = useUser();
  return (
    <AppScreen title="Profile">
      <LoadedContent loaded={user}>{(value) => <UserForm user={value} reload={user.reload} />}</LoadedContent>
      <SessionSection />
      <TokenSection />
    </AppScreen>
  );
}

function UserForm({ user, reload }: { user: User; reload: () => Promise<void> }): VNode {
  const former = { displayName: user.displayName, photoURL: user.photoURL ?? '' };
  const [values, setValues] = useState(former);
  const { displayName, photoURL } = values;
  const organization = useCurrentOrganization();
  const save = async (): Promise<void> => {
    const isPhotoChanged = photoURL.trim() !== former.photoURL;
    const body = { displayName: displayName.trim(), ...(isPhotoChanged && { photoURL: photoURL.trim() || null }) };
    const saved = await api<User>('PATCH', `/users/${user.id}`, { body });
    setValues({ displayName: saved.displayName, photoURL: saved.photoURL ?? '' });
    await reload();
    notify('Profile saved');
  };
  const isUnchanged = displayName.trim() === former.displayName && photoURL.trim() === former.photoURL;
  return (
    <section class="narrow">
      <ActionForm submit="Save" onSubmit={save} isDisabled={isUnchanged || displayName.trim() === ''}>
        <TextField
          label="Name"
          hint={user.email === undefined ? undefined : `You sign in with ${user.email}.`}
          autocomplete="name"
          maxLength={64}
          value={displayName}
          onChange={(name) => setValues((current) => ({ ...current, displayName: name }))}
        />
        <ImageField
          label="Photo"
          hint="Other members see it beside your name. Upload an image, or enter its URL."
          value={photoURL}
          onChange={(url) => setValues((current) => ({ ...current, photoURL: url }))}
          organization={organization?.id}
        />
      </ActionForm>
    </section>
  );
}

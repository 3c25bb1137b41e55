import type { Site } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { ActionForm, TextField } from '../ui/dialog.tsx';
import { notify } from '../ui/notice.tsx';
import { VisibilityField } from './visibility-field.tsx';

interface GeneralSectionProps {
  site: Site;
  path: string;
  reload: () => Promise<void>;
}

/** The title and the audience of a site. */
export function GeneralSection({ site, path, reload }: GeneralSectionProps): VNode {
  const [title, setTitle] = useState(site.title);
  const [visibility, setVisibility] = useState(site.visibility);
  const isUnchanged = title.trim() === site.title && visibility === site.visibility;
  const save = async (): Promise<void> => {
    await api<Site>('PATCH', path, { body: { title: title.trim(), visibility } });
    await reload();
    notify('Settings saved');
  };
  return (
    <section class="narrow">
      <h2>General</h2>
      <ActionForm submit="Save" onSubmit={save} isDisabled={isUnchanged || title.trim().length < 2}>
        <TextField label="Title" maxLength={128} value={title} onChange={setTitle} />
        <VisibilityField value={visibility} onChange={setVisibility} />
      </ActionForm>
    </section>
  );
}

import type { VNode } from 'preact';
import { Field } from './dialog.tsx';
import { UiIcon } from './icon.tsx';
import { notify } from './notice.tsx';

interface CopyFieldProps {
  label: string;
  value: string;
}

/** A value that the user copies to another program. */
export function CopyField({ label, value }: CopyFieldProps): VNode {
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(value);
    notify(`${label} copied`);
  };
  return (
    <Field label={label}>
      {(ids) => (
        <div class="copy-field">
          <input class="input" {...ids} readOnly value={value} />
          <button type="button" class="icon-button" aria-label={`Copy ${label}`} title="Copy" onClick={copy}>
            <UiIcon name="copy" />
          </button>
        </div>
      )}
    </Field>
  );
}

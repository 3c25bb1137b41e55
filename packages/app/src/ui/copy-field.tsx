import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { copyText } from './copy-text.ts';
import { Field } from './dialog.tsx';
import { UiIcon } from './icon.tsx';
import { notifyError } from './notice.tsx';

interface CopyFieldProps {
  label: string;
  value: string;
}

/** A value that the user copies to another program. */
export function CopyField({ label, value }: CopyFieldProps): VNode {
  const input = useRef<HTMLInputElement>(null);
  const copy = (): void => {
    copyText(value, input.current, `${label} copied`).catch(notifyError);
  };
  return (
    <Field label={label}>
      {(ids) => (
        <div class="copy-field">
          <input class="input" ref={input} {...ids} readOnly value={value} />
          <button type="button" class="icon-button" aria-label={`Copy ${label}`} title="Copy" onClick={copy}>
            <UiIcon name="copy" />
          </button>
        </div>
      )}
    </Field>
  );
}

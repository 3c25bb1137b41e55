import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { toMessage } from '../api.ts';
import { addLeaveGuard } from '../router.ts';
import { UiIcon } from './icon.tsx';

interface ModalProps {
  title: string;
  onClose: () => void;
  isWide?: boolean;
  children: ComponentChildren;
}

/** A modal dialog. It is open while it is rendered. */
export function Modal({ title, onClose, isWide = false, children }: ModalProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const { current } = dialog;
    const former = document.activeElement;
    current?.showModal();
    // By default, the browser would focus the button that closes the dialog.
    current?.querySelector<HTMLElement>('form :is(input, select, textarea)')?.focus();
    return () => {
      current?.close();
      if (former instanceof HTMLElement && former.isConnected) former.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={isWide ? 'modal wide' : 'modal'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div class="modal-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
          <UiIcon name="close" />
        </button>
      </div>
      {children}
    </dialog>
  );
}

interface FormProps {
  /** The name of the submit button. */
  submit: string;
  onSubmit: () => Promise<void>;
  onCancel?: (() => void) | undefined;
  isDanger?: boolean;
  isDisabled?: boolean;
  children?: ComponentChildren;
}

/** Keeps the sign-in page from replacing a form that the user has filled in. Returns a function that reports changes. */
function useFormGuard(): (hasChanges: boolean) => void {
  const isChanged = useRef(false);
  useEffect(() => addLeaveGuard({ hasChanges: () => isChanged.current, canLeave: () => true }), []);
  return (hasChanges) => {
    isChanged.current = hasChanges;
  };
}

/** A form with its buttons. It shows the error of a failed submission. */
export function ActionForm({ submit, onSubmit, onCancel, isDanger, isDisabled, children }: FormProps): VNode {
  const [isBusy, setBusy] = useState(false);
  const [message, setMessage] = useState<string>();
  const setChanged = useFormGuard();
  const run = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setMessage(undefined);
    try {
      await onSubmit();
      setChanged(false);
    } catch (error) {
      setMessage(toMessage(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="action-form" onInput={() => setChanged(true)} onSubmit={run}>
      {children}
      {message !== undefined && (
        <p class="form-error" role="alert">
          {message}
        </p>
      )}
      <div class="form-buttons">
        {onCancel !== undefined && (
          <button type="button" class="button" onClick={onCancel}>
            Cancel
          </button>
        )}
        <button type="submit" class={isDanger ? 'button danger' : 'button primary'} disabled={isBusy || isDisabled}>
          {submit}
        </button>
      </div>
    </form>
  );
}

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  children: (ids: { id: string; 'aria-describedby'?: string }) => ComponentChildren;
}

/** A labeled control of a form. */
export function Field({ label, hint, children }: FieldProps): VNode {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, ...(hint === undefined ? {} : { 'aria-describedby': `${id}-hint` }) })}
      {hint !== undefined && (
        <p class="hint-text" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps extends Omit<FieldProps, 'children'> {
  value: string;
  onChange: (value: string) => void;
  type?: 'search' | 'text' | 'url';
  placeholder?: string;
  maxLength?: number;
  autocomplete?: 'name';
}

/** A labeled text of one line. */
export const TextField = ({ label, hint, onChange, type = 'text', ...input }: TextFieldProps): VNode => (
  <Field label={label} hint={hint}>
    {(ids) => (
      <input
        class="input"
        {...ids}
        {...input}
        // Preact has separate attribute types for each input type. The types used here have the same attributes.
        type={type as 'text'}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    )}
  </Field>
);

interface SelectFieldProps extends Omit<FieldProps, 'children'> {
  value: string | number | undefined;
  onChange: (value: string) => void;
  /** The options. */
  children: ComponentChildren;
}

/** A labeled choice. */
export const SelectField = ({ label, hint, value, onChange, children }: SelectFieldProps): VNode => (
  <Field label={label} hint={hint}>
    {(ids) => (
      <select class="input" {...ids} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {children}
      </select>
    )}
  </Field>
);

interface TextDialogProps extends Pick<TextFieldProps, 'label' | 'hint' | 'maxLength'> {
  title: string;
  submit: string;
  minLength?: number;
  /** Receives the text without surrounding spaces. */
  onSubmit: (text: string) => Promise<void>;
  onClose: () => void;
}

/** Asks for a text of one line, such as the name of a new object. */
export function TextDialog({ title, submit, minLength = 1, onSubmit, onClose, ...field }: TextDialogProps): VNode {
  const [value, setValue] = useState('');
  const text = value.trim();
  return (
    <Modal title={title} onClose={onClose}>
      <ActionForm
        submit={submit}
        onSubmit={() => onSubmit(text)}
        onCancel={onClose}
        isDisabled={text.length < minLength}
      >
        <TextField {...field} value={value} onChange={setValue} />
      </ActionForm>
    </Modal>
  );
}

interface ConfirmProps {
  title: string;
  text: ComponentChildren;
  submit: string;
  isDanger?: boolean;
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

/** Asks before an action that cannot be undone. */
export const ConfirmDialog = ({ title, text, submit, isDanger = true, onConfirm, onClose }: ConfirmProps): VNode => (
  <Modal title={title} onClose={onClose}>
    <ActionForm submit={submit} isDanger={isDanger} onSubmit={onConfirm} onCancel={onClose}>
      <p>{text}</p>
    </ActionForm>
  </Modal>
);

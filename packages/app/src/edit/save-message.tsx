import type { VNode } from 'preact';
import { signIn } from '../api.ts';
import type { SaveState } from './autosave.ts';

interface SaveMessageProps {
  state: SaveState;
  retry: () => void;
}

/** Explains why a text is not saved, and how the user can continue. */
export function SaveMessage({ state, retry }: SaveMessageProps): VNode | null {
  if (state.kind === 'conflict')
    return (
      <p class="edit-message" role="alert">
        The same part of the page was changed elsewhere. Compare the versions and choose one to save the text.{' '}
        {describeStorage(state.isStored)}
      </p>
    );
  if (state.kind === 'signed-out')
    return state.isStored ? (
      <ActionMessage text="You are signed out. Your text is kept in this browser." action="Sign in" run={signIn} />
    ) : (
      <ActionMessage
        text="You are signed out, and the storage of this browser is full. Sign in in another tab to save the text."
        action="Try again"
        run={retry}
      />
    );
  if (state.kind === 'failed')
    return (
      <ActionMessage text={`${state.message} ${describeStorage(state.isStored)}`} action="Try again" run={retry} />
    );
  const isLost = (state.kind === 'unsaved' || state.kind === 'offline') && !state.isStored;
  return isLost ? (
    <p class="edit-message" role="alert">
      {describeStorage(false)}
    </p>
  ) : null;
}

const describeStorage = (isStored: boolean): string =>
  isStored
    ? 'Your text is kept in this browser.'
    : 'The storage of this browser is full. Keep the page open until the text is saved.';

interface ActionMessageProps {
  text: string;
  /** The name of the button. */
  action: string;
  run: () => void;
}

const ActionMessage = ({ text, action, run }: ActionMessageProps): VNode => (
  <div class="edit-message" role="alert">
    <p>{text}</p>
    <button type="button" class="button" onClick={run}>
      {action}
    </button>
  </div>
);

import { diffLines } from '@octavo/merge';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { SourceDifference } from '../change-requests/source-difference.tsx';
import { Modal } from '../ui/dialog.tsx';
import type { EditedText } from './autosave.ts';

interface ConflictButtonProps extends Pick<ConflictDialogProps, 'theirs' | 'resolve'> {
  /** Reads the text in the editor. */
  readMine: () => EditedText | undefined;
}

/** Opens a dialog that compares both versions. The text cannot change while the dialog is open. */
export function ConflictButton({ theirs, readMine, resolve }: ConflictButtonProps): VNode {
  const [mine, setMine] = useState<EditedText>();
  return (
    <>
      <button type="button" class="button edit-conflict" onClick={() => setMine(readMine())}>
        Conflict: compare versions
      </button>
      {mine !== undefined && (
        <ConflictDialog mine={mine} theirs={theirs} resolve={resolve} onClose={() => setMine(undefined)} />
      )}
    </>
  );
}

interface ConflictDialogProps {
  /** The text in the editor. */
  mine: EditedText;
  /** The text that was saved elsewhere: by another person, or by the same one in another tab. */
  theirs: EditedText;
  resolve: (keeps: 'mine' | 'theirs') => void;
  onClose: () => void;
}

const titles = { before: 'My version', after: 'Other version' };

/** Shows the lines in which two versions of a text differ, and keeps one of the versions. */
function ConflictDialog({ mine, theirs, resolve, onClose }: ConflictDialogProps): VNode {
  const { diff = '' } = diffLines(mine.markdown, theirs.markdown);
  return (
    <Modal title="Choose a version" onClose={onClose} isWide>
      {mine.title !== theirs.title && (
        <p>
          The title is “{mine.title}” in my version and “{theirs.title}” in the other version.
        </p>
      )}
      <SourceDifference diff={diff} isSideBySide titles={titles} />
      <div class="form-buttons">
        <button type="button" class="button" onClick={() => resolve('mine')}>
          Keep my version
        </button>
        <button type="button" class="button" onClick={() => resolve('theirs')}>
          Use the other version
        </button>
      </div>
    </Modal>
  );
}

import type { Space } from '@octavo/schema';
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiRequestError, get } from '../api.ts';
import { getSpaceTitle } from '../shell/sidebar.tsx';
import { Modal } from '../ui/dialog.tsx';
import { FailureState } from '../ui/states.tsx';

interface ExportDialogProps {
  space: Space;
  onClose: () => void;
}

interface ExportProgress {
  done: number;
  total: number;
  /** Set when the download has started: content that the files do not contain. */
  notes?: { path: string; message: string }[];
  error?: unknown;
}

/** Saves a file from memory as a download of the browser. */
function saveDownload(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser reads the content after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Exports a space as a zip archive of Markdown files, and downloads it. Closing the dialog cancels the export. */
export function ExportDialog({ space, onClose }: ExportDialogProps): VNode {
  const [progress, setProgress] = useState<ExportProgress>({ done: 0, total: 0 });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const run = async (): Promise<void> => {
      const { exportSpaceArchive } = await import('./export-space.ts');
      const reportProgress = (done: number, total: number): void => setProgress({ done, total });
      const { archive, notes } = await exportSpaceArchive(space.id, {
        ...{ get, createError: (message) => new ApiRequestError(0, message), signal, reportProgress },
      });
      signal.throwIfAborted();
      saveDownload(`${getSpaceTitle(space)}.zip`, archive);
      setProgress((former) => ({ ...former, notes }));
    };
    setProgress({ done: 0, total: 0 });
    run().catch((error: unknown) => {
      if (!signal.aborted) setProgress((former) => ({ ...former, error }));
    });
    return () => abort.abort();
  }, [attempt]);
  return (
    <Modal title="Export as Markdown" onClose={onClose}>
      {progress.error === undefined ? (
        <ExportStatus {...progress} />
      ) : (
        <FailureState error={progress.error} retry={async () => setAttempt(attempt + 1)} />
      )}
      <div class="form-buttons">
        <button type="button" class="button" onClick={onClose}>
          {progress.notes === undefined ? 'Cancel' : 'Close'}
        </button>
      </div>
    </Modal>
  );
}

const ExportStatus = ({ done, total, notes }: ExportProgress): VNode =>
  notes === undefined ? (
    <>
      <p role="status">Packing pages and files …</p>
      <progress aria-label="Exported pages and files" {...(total === 0 ? {} : { max: total, value: done })} />
      {total > 0 && (
        <p class="hint-text">
          {done} of {total} pages and files
        </p>
      )}
    </>
  ) : (
    <>
      <p role="status">The download has started. The zip file contains the live pages and files of this space.</p>
      {notes.length > 0 && (
        <details>
          <summary>Notes ({notes.length})</summary>
          <ul class="report">
            {notes.map(({ path, message }) => (
              <li key={path + message}>
                <code>{path}</code> {message}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );

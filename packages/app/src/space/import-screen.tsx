import type { Import, LinkItem, LinkStats, List, Space } from '@octavo/schema';
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { toMessage } from '../api.ts';
import { ActionForm, TextField } from '../ui/dialog.tsx';
import { UiIcon } from '../ui/icon.tsx';
import { notifyError } from '../ui/notice.tsx';
import { EmptyState } from '../ui/states.tsx';
import { useApi } from '../use-api.ts';
import { type ImportInput, packFolder, runImport, uploadArchive } from './import-content.ts';
import { SpaceSubscreen } from './space-screen-frame.tsx';
import { reloadPages } from './use-pages.ts';

/** Imports a folder, an archive or a website into a space. */
export const ImportScreen = (): VNode => (
  <SpaceSubscreen
    title="Import"
    lead="The imported pages are added after the existing ones, with their images and links."
  >
    {(space) =>
      space.permissions.edit ? (
        <ImportForms key={space.id} space={space} />
      ) : (
        <EmptyState icon="import" title="You do not have permission to import into this space" />
      )
    }
  </SpaceSubscreen>
);

type Stage = { text: string } | { progress: Import } | undefined;

/** The stage of the import that this screen has started. Leaving the screen ends the reports of its progress. */
function useImport(space: Space) {
  const [stage, setStage] = useState<Stage>();
  const [left] = useState(() => new AbortController());
  useEffect(() => () => left.abort(), []);
  const report = (progress: Import): void => {
    setStage({ progress });
    if (progress.status !== 'running') void reloadPages(`/spaces/${space.id}`);
  };
  /** Imports from the source that a function prepares. If this fails, the forms are shown again with the error. */
  const start = async (text: string, prepare: () => Promise<ImportInput>): Promise<void> => {
    setStage({ text });
    try {
      await runImport(space, { source: await prepare(), report, signal: left.signal });
    } catch (error) {
      setStage(undefined);
      notifyError(error);
    }
  };
  return { stage, setStage, start };
}

function ImportForms({ space }: { space: Space }): VNode {
  const { stage, setStage, start } = useImport(space);
  const [address, setAddress] = useState('');
  const importFiles = async (files: globalThis.File[]): Promise<void> => {
    const [first] = files;
    if (first === undefined) return;
    const isArchive = files.length === 1 && first.name.endsWith('.zip');
    await start(isArchive ? 'Uploading' : `Packing ${files.length} files`, async () => {
      const bytes = isArchive ? first : await packFolder(files);
      const name = isArchive ? first.name : `${first.webkitRelativePath.split('/')[0] ?? 'folder'}.zip`;
      setStage({ text: 'Uploading' });
      return { source: 'zip', url: await uploadArchive(space, name, bytes) };
    });
  };
  const importWebsite = (): Promise<void> =>
    start('Reading the website', async () => ({ source: 'website', url: address.trim() }));
  const restart = (): void => {
    setStage(undefined);
    setAddress('');
  };
  if (stage !== undefined) return <ImportProgress space={space} stage={stage} restart={restart} />;
  return (
    <div class="import-forms">
      <section class="panel">
        <h2>Files</h2>
        <p class="hint-text">Markdown files with their images, of any documentation generator.</p>
        <div class="panel-buttons">
          <FileButton label="Choose a folder" isFolder onChoose={importFiles} />
          <FileButton label="Choose a zip file" onChoose={importFiles} />
        </div>
      </section>
      <WebsiteForm address={address} onChange={setAddress} onSubmit={importWebsite} />
    </div>
  );
}

interface WebsiteFormProps {
  address: string;
  onChange: (address: string) => void;
  onSubmit: () => Promise<void>;
}

const WebsiteForm = ({ address, onChange, onSubmit }: WebsiteFormProps): VNode => (
  <section class="panel">
    <h2>Website</h2>
    <ActionForm submit="Import" onSubmit={onSubmit} isDisabled={address.trim() === ''}>
      <TextField
        label="Address"
        hint="The URL of a public page. This page and the pages below it are imported."
        type="url"
        placeholder="https://docs.example.com/"
        value={address}
        onChange={onChange}
      />
    </ActionForm>
  </section>
);

interface FileButtonProps {
  label: string;
  isFolder?: boolean;
  onChoose: (files: globalThis.File[]) => void;
}

function FileButton({ label, isFolder = false, onChoose }: FileButtonProps): VNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="button" onClick={() => input.current?.click()}>
        <UiIcon name={isFolder ? 'folder' : 'upload'} />
        {label}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        {...(isFolder ? { webkitdirectory: true } : { accept: '.zip,application/zip' })}
        onChange={({ currentTarget }) => onChoose([...(currentTarget.files ?? [])])}
      />
    </>
  );
}

interface ImportProgressProps {
  space: Space;
  stage: NonNullable<Stage>;
  restart: () => void;
}

const statusTexts: Record<Import['status'], string> = {
  running: 'Importing',
  completed: 'Import complete',
  failed: 'Import failed',
  cancelled: 'Import cancelled',
};

function ImportProgress({ space, stage, restart }: ImportProgressProps): VNode {
  if ('text' in stage)
    return (
      <div class="panel" role="status">
        <p class="strong">{stage.text} …</p>
        <progress aria-label={stage.text} />
      </div>
    );
  const { status, importedResources, totalResources, error, failures, problems } = stage.progress;
  return (
    <div class="panel">
      <p class="strong" role="status">
        {statusTexts[status]}
      </p>
      <progress aria-label="Imported pages and files" max={Math.max(totalResources, 1)} value={importedResources} />
      <p class="hint-text">
        {importedResources} of {totalResources} pages and files
      </p>
      {error !== undefined && <p class="form-error">{error}</p>}
      <ImportReport title="Failed" items={failures.map(({ url, error: reason }) => [url, reason])} />
      <ImportReport title="Notes" items={problems.map(({ url, message }) => [url, message])} />
      {status === 'completed' && <BrokenLinksNote space={space} />}
      {status !== 'running' && (
        <div class="panel-buttons">
          {status === 'completed' && (
            <a class="button primary" href={`/app/spaces/${space.id}`}>
              Open the space
            </a>
          )}
          <button type="button" class="button" onClick={restart}>
            Import more
          </button>
        </div>
      )}
    </div>
  );
}

/** The number of broken links in the space after an import, with a link to the list of them. */
function BrokenLinksNote({ space }: { space: Space }): VNode | null {
  const { value, error } = useApi<List<LinkItem> & { stats: LinkStats }>(`/spaces/${space.id}/links`, {
    status: 'broken',
    limit: 1,
  });
  if (error !== undefined) return <p class="form-error">The links could not be checked: {toMessage(error)}</p>;
  const count = value?.stats.broken.total ?? 0;
  if (count === 0) return null;
  return (
    <p>
      This space has{' '}
      <a href={`/app/spaces/${space.id}/links`}>{count === 1 ? '1 broken link' : `${count} broken links`}</a>.
    </p>
  );
}

const ImportReport = ({ title, items }: { title: string; items: [string, string][] }): VNode | null =>
  items.length === 0 ? null : (
    <details>
      <summary>
        {title} ({items.length})
      </summary>
      <ul class="report">
        {items.map(([url, message]) => (
          <li>
            <code>{url}</code> {message}
          </li>
        ))}
      </ul>
    </details>
  );

import type { File, Space } from '@octavo/schema';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { describeSize } from '../file-size.ts';
import { UiIcon } from '../ui/icon.tsx';
import { EmptyState, LoadedContent } from '../ui/states.tsx';
import { useList } from '../use-api.ts';
import { SpaceSubscreen } from './space-screen-frame.tsx';

/** The images and other files of a space. */
export const FilesScreen = (): VNode => (
  <SpaceSubscreen title="Files" lead="Images and attachments that pages of this space use.">
    {(space) => <FileList space={space} />}
  </SpaceSubscreen>
);

function FileList({ space }: { space: Space }): VNode {
  const files = useList<File>(`/spaces/${space.id}/content/files`);
  const [words, setWords] = useState('');
  const isFound = ({ name }: File): boolean => name.toLowerCase().includes(words.trim().toLowerCase());
  return (
    <LoadedContent loaded={files}>
      {(all) =>
        all.length === 0 ? (
          <EmptyState icon="file" title="No files yet">
            <p>Images that you add to pages are listed here.</p>
          </EmptyState>
        ) : (
          <>
            <input
              class="input filter"
              type="search"
              aria-label="Search files"
              placeholder="Search by name"
              value={words}
              onInput={({ currentTarget }) => setWords(currentTarget.value)}
            />
            <ul class="rows">
              {all.filter(isFound).map((file) => (
                <li key={file.id}>
                  <a class="row" href={file.downloadURL} target="_blank" rel="noopener">
                    {file.contentType.startsWith('image/') ? (
                      <img class="thumbnail" src={file.downloadURL} alt="" loading="lazy" />
                    ) : (
                      <UiIcon name="file" />
                    )}
                    <span class="grow strong">{file.name}</span>
                    <small>{describeSize(file.size)}</small>
                  </a>
                </li>
              ))}
            </ul>
          </>
        )
      }
    </LoadedContent>
  );
}

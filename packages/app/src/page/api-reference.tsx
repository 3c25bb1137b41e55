import type { DrawingLibraries, PageNode } from '@octavo/reader/drawing';

const getField = ({ data = {} }: PageNode, name: string): string => {
  const value = data[name];
  return typeof value === 'string' ? value : '';
};

/** A block that shows a part of an API specification. The app names the part; the published page shows it in full. */
export const ReferenceNote: DrawingLibraries['Reference'] = ({ node }) => {
  const [method, path] = [getField(node, 'method').toUpperCase(), getField(node, 'path') || getField(node, 'name')];
  return (
    <p class="reference-note">
      <strong>{method || 'API models'}</strong> <code>{path || getField(node, 'title')}</code>
      <small>Shown in full on the published page.</small>
    </p>
  );
};

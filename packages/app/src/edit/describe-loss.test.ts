import { expect, test, vi } from 'vitest';
import { Autosave } from './autosave.ts';
import { describeLoss } from './describe-loss.ts';

const describeWith = ({
  isStoredAnywhere,
  isUploading = false,
}: {
  isStoredAnywhere: boolean;
  isUploading?: boolean;
}) => describeLoss({ autosave: { isStoredAnywhere }, editor: { isUploading: () => isUploading } });

test('nothing is lost if the server or the browser has the text', () => {
  expect(describeWith({ isStoredAnywhere: true })).toBeUndefined();
});

test('names what would be lost', () => {
  expect(describeWith({ isStoredAnywhere: false })).toContain('no space to keep them');
  expect(describeWith({ isStoredAnywhere: true, isUploading: true })).toContain('still being uploaded');
});

const saved = { title: 'A', markdown: 'one', revision: 'r1' };

const createAutosave = (hasSpace: () => boolean) =>
  new Autosave(saved, {
    send: () => Promise.resolve('r2'),
    load: () => Promise.resolve(saved),
    store: hasSpace,
    show: () => undefined,
    onState: () => undefined,
    onMerged: () => undefined,
    wait: () => () => undefined,
  });

test('an unsent text is kept as long as this browser has space for it', async () => {
  let hasSpace = true;
  const autosave = createAutosave(() => hasSpace);
  const editor = { isUploading: () => false };

  autosave.change({ title: 'A', markdown: 'one two' });
  expect(autosave.isSaved).toBe(false);
  expect(describeLoss({ autosave, editor })).toBeUndefined();
  hasSpace = false;
  autosave.change({ title: 'A', markdown: 'one two three' });
  expect(describeLoss({ autosave, editor })).toContain('no space');
  await autosave.stop();
  expect(describeLoss({ autosave, editor })).toBeUndefined();
});

test('an upload that is canceled by leaving the editor adds no file to the change request', async () => {
  const autosave = createAutosave(() => true);
  const insert = vi.fn(() => Promise.resolve({ revision: 'r2' }));
  await autosave.stop();
  await expect(autosave.runOtherChange(insert)).rejects.toThrow('The editor was closed.');
  expect(insert).not.toHaveBeenCalled();
});

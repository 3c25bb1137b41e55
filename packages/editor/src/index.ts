export { type MountedEditor, mountEditor } from './view/mount-editor.ts';
export type { PageSuggestion } from './view/options.ts';

export { type ExportedNodes, type ExportedSpace, exportFiles, exportNodes, getBytes } from './export-files.ts';
export { chooseFileNames, makeTargetsRelative, restoreTargets } from './file-names.ts';
export { type Matches, matchPages } from './match.ts';
export { findReplacedSources, type Source, toStoredName } from './origin.ts';
export { type Comparer, type PlanStep, planImport } from './plan-steps.ts';
export { type Present, presentTree, walkPresent } from './present.ts';
export {
  downloadFile,
  type ExportApi,
  type Exported,
  FileDownloadError,
  type FindKnownText,
  type NodeText,
  readSpace,
  type SpaceContent,
  type TargetTree,
} from './read-space.ts';
export { readVariables, type Unwritable, variablesPath } from './shared-files.ts';

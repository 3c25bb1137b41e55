export { importFolder } from './import/import-folder.ts';
export { octavo } from './octavo.ts';
export { replay } from './replay/replay.ts';
export type { Terminal } from './terminal.ts';

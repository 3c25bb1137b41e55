export { importFolder } from './import/import-folder.ts';
export { octavo } from './octavo.ts';
export type { Terminal } from './terminal.ts';

export { importFolder } from './import/import-folder.ts';
export { runOctavo } from './octavo.ts';
export type { Terminal } from './terminal.ts';
